/** What needs you, what runs, what failed, what it costs, and where you left off. */

import "./home.css";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { openSheet } from "../../shell/open-sheet.ts";
import { useMay, usePerson } from "../../shell/session.ts";
import { Continue } from "./continue.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { HomeLists } from "./home-lists.tsx";
import { HomeSide } from "./home-side.tsx";

export default function HomePage() {
  const status = useOperation("workspace.show", {}, { isUrgent: true });
  const runs = useOperation("run.list", { limit: 1 });
  if (status.data === undefined || runs.data === undefined)
    return (
      <>
        <div className="head">
          <h1>Home</h1>
        </div>
        <div className="home">
          <div className="l">
            <ProblemNote problem={status.problem ?? runs.problem} onRetry={status.refresh} />
            {status.problem === undefined && <SkeletonRows count={8} />}
          </div>
          <aside className="r" />
        </div>
      </>
    );
  if (runs.data.items.length === 0) return <FirstSteps />;
  return (
    <>
      <HomeHead />
      <div className="home">
        <div className="l">
          <Continue />
          <HomeLists status={status.data} />
        </div>
        <HomeSide status={status.data} />
      </div>
    </>
  );
}

function HomeHead() {
  const { name } = usePerson();
  const mayRun = useMay("run");
  const mayEdit = useMay("edit");
  const now = new Date();
  const today = now.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" });
  return (
    <div className="head">
      <h1>
        {greeting(now.getHours())}, {name.split(" ")[0]}
      </h1>
      <span className="muted wide">{today}</span>
      <span className="end row wide">
        {mayEdit && (
          <Button icon="plus" keys="c" onPress={() => openSheet("capture")}>
            Capture
          </Button>
        )}
        {mayRun && (
          <Button icon="play" keys="s" onPress={() => openSheet("start-run")}>
            Start a run
          </Button>
        )}
      </span>
    </div>
  );
}

function greeting(hour: number): string {
  if (hour < 5) return "Good night";
  return hour < 12 ? "Good morning" : hour < 18 ? "Good afternoon" : "Good evening";
}
