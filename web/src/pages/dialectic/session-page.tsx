/** One dialectic: its matrix filling, what comes next, what was said, what it took, its files. */

import { useOperation } from "../../data/use-operation.ts";
import { Chip } from "../../parts/glyph.tsx";
import { count } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Reference } from "../../parts/reference.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { stateOf } from "../../parts/state.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { Lasting } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate } from "../../router/place.ts";
import { spentWords } from "./cost-words.ts";
import { CostTab } from "./cost-tab.tsx";
import { sessionAddress, sessionWords, type Status } from "./dialectic-words.ts";
import { FilesTab } from "./files-tab.tsx";
import { Matrix } from "./matrix.tsx";
import { NextPane } from "./next-pane.tsx";
import { RemarksTab } from "./remarks-tab.tsx";
import { SessionControls } from "./session-controls.tsx";

const TABS = [
  { name: "matrix", label: "Documents" },
  { name: "remarks", label: "Remarks" },
  { name: "cost", label: "Cost" },
  { name: "files", label: "Files" },
] as const;

export function SessionPage({
  runId,
  tab,
}: {
  readonly runId: string;
  readonly tab: string | undefined;
}) {
  const { data, problem, refresh } = useOperation("dialectic.status", { runId });
  if (data === undefined)
    return (
      <div className="fault">
        <ProblemNote problem={problem} onRetry={refresh} />
        {problem === undefined && <SkeletonRows count={10} />}
      </div>
    );
  const chosen = TABS.find(({ name }) => name === tab)?.name ?? "matrix";
  const done = data.stages.reduce((sum, stage) => sum + stage.done, 0);
  const total = data.stages.reduce((sum, stage) => sum + stage.total, 0);
  const counts = {
    matrix: `${done}/${total}`,
    remarks: data.openFeedback === 0 ? undefined : data.openFeedback,
    cost: undefined,
    files: undefined,
  };
  return (
    <>
      <SessionHead status={data} />
      <ProblemNote problem={problem} onRetry={refresh} />
      <Tabs
        label="Views of this dialectic"
        tabs={TABS.map((each) => ({ ...each, count: counts[each.name] }))}
        chosen={chosen}
        onChoose={(name) =>
          navigate(sessionAddress(runId, name === "matrix" ? undefined : name), { replace: true })
        }
        end={<Live status={data} />}
      />
      {chosen === "matrix" && (
        <div className="split dx-session">
          <Matrix status={data} />
          <NextPane status={data} />
        </div>
      )}
      {chosen === "remarks" && <RemarksTab status={data} />}
      {chosen === "cost" && <CostTab status={data} />}
      {chosen === "files" && <FilesTab status={data} />}
    </>
  );
}

function SessionHead({ status }: { readonly status: Status }) {
  const { runId, title, state, iteration, startedAt, finishedAt, use } = status;
  return (
    <div className="head dx-head">
      <a className="crumb" href="/dialectic">
        Dialectic
      </a>
      <span className="faint">/</span>
      <h1 className="cut">
        <Words text={title} />
      </h1>
      <span className="hide-n">
        <Reference noun="run" id={runId} />
      </span>
      <Chip state={stateOf(state)}>{sessionWords(status)}</Chip>
      {iteration > 1 && <span className="tag">iteration {iteration}</span>}
      <span className="end row">
        <span className="small muted num wide dx-numbers">
          {startedAt !== undefined && (
            <>
              <Lasting from={startedAt} to={finishedAt} />,{" "}
            </>
          )}
          {count(use.turns)} calls,{" "}
          <span className="strong">
            {spentWords(use) === "unknown" ? "cost unknown" : spentWords(use)}
          </span>
        </span>
        <SessionControls status={status} />
      </span>
    </div>
  );
}

function isOpen(state: string): boolean {
  return ["running", "queued"].includes(state);
}

/** Said aloud when it changes: how far the stage is. */
function Live({ status }: { readonly status: Status }) {
  const stage = status.stages.find(({ key }) => key === status.stage);
  const isLive = isOpen(status.state);
  return (
    <span className={isLive ? "row run hide-n" : "row hide-n"} aria-live="polite">
      {isLive && <span className="dx-dot" aria-hidden="true" />}
      {stage !== undefined && (
        <span className="num">
          {stage.title} {stage.done} of {stage.total}
        </span>
      )}
      {status.stale > 0 && <span className="num">{status.stale} stale</span>}
    </span>
  );
}
