/** One session: its trail of commits, what must hold of it, its report, the words of its commit. */

import { type ReactNode, useState } from "react";
import type { Output } from "../../api/operation.ts";
import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { Chip, Glyph } from "../../parts/glyph.tsx";
import { PageToCome } from "../../parts/page-to-come.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Words } from "../../parts/words.tsx";
import { navigate } from "../../router/place.ts";
import { useMay } from "../../shell/session.ts";
import { FinishSheet } from "./finish-sheet.tsx";
import { GiveUpSheet } from "./give-up-sheet.tsx";
import { SessionInvariants } from "./session-invariants.tsx";
import { SessionEntries } from "./session-entries.tsx";
import { SessionMessage } from "./session-message.tsx";
import { SessionReport } from "./session-report.tsx";
import { SessionTrail } from "./session-trail.tsx";
import { SESSION_STATES, shortChange } from "./session-words.ts";

export type SessionDetail = Output<"session.show">;

export interface SessionTabProps {
  readonly detail: SessionDetail;
}

interface SessionTab {
  readonly name: string;
  readonly label: string;
  readonly count?: (detail: SessionDetail) => number;
  readonly view: (props: SessionTabProps) => ReactNode;
}

const TABS: readonly SessionTab[] = [
  { name: "trail", label: "Trail", count: ({ intents }) => intents.length, view: SessionTrail },
  { name: "invariants", label: "Invariants", view: SessionInvariants },
  { name: "report", label: "Report", view: SessionReport },
  { name: "commit", label: "Commit message", view: SessionMessage },
  {
    name: "log",
    label: "What happened",
    count: ({ entries }) => entries.length,
    view: SessionEntries,
  },
];

export function SessionView({
  id,
  tab,
}: {
  readonly id: string;
  readonly tab: string | undefined;
}) {
  const { data, problem, refresh } = useOperation("session.show", { session: id });
  if (data === undefined)
    return (
      <PageToCome
        problem={problem}
        onRetry={refresh}
        back={{ title: "Sessions", path: "/sessions" }}
      />
    );
  const shown = TABS.find(({ name }) => name === tab) ?? TABS[0];
  if (shown === undefined) return null;
  const View = shown.view;
  return (
    <>
      <SessionHead detail={data} />
      <Standing detail={data} />
      <Tabs
        label="Views of this session"
        tabs={TABS.map(({ name, label, count: amount }) => {
          return { name, label, count: amount?.(data) || undefined };
        })}
        chosen={shown.name}
        onChoose={(name) => navigate(`/sessions/${id}/${name}`, { replace: true })}
      />
      <View detail={data} />
    </>
  );
}

function SessionHead({ detail: { session } }: SessionTabProps) {
  const [sheet, setSheet] = useState<"finish" | "give-up">();
  const mayRun = useMay("run");
  const { glyph, words } = SESSION_STATES[session.state];
  const isOver = session.state === "finished" || session.state === "abandoned";
  return (
    <div className="head">
      <a className="crumb" href="/sessions">
        Sessions
      </a>
      <span className="faint">/</span>
      <h1 className="cut">
        <Words text={session.title} />
      </h1>
      {session.changeId !== undefined && (
        <span className="session-change wide" title={session.changeId}>
          {shortChange(session.changeId)}
        </span>
      )}
      <Chip state={glyph}>{words}</Chip>
      {mayRun && !isOver && (
        <span className="end row">
          <Button kind="primary" icon="check" onPress={() => setSheet("finish")}>
            {session.state === "open" ? "Finish" : "Finish again"}
          </Button>
          {session.state === "open" && (
            <Button kind="danger" onPress={() => setSheet("give-up")}>
              Give up
            </Button>
          )}
        </span>
      )}
      {sheet === "finish" && <FinishSheet session={session} onClose={() => setSheet(undefined)} />}
      {sheet === "give-up" && <GiveUpSheet session={session} onClose={() => setSheet(undefined)} />}
    </div>
  );
}

/** Why it stands still, where it does. */
function Standing({ detail: { session, runs } }: SessionTabProps) {
  const failed = runs.find(({ failure }) => failure !== undefined)?.failure;
  const why =
    session.state === "synthesised"
      ? session.pushReason
      : session.state === "finishing"
        ? "Whoever finished it died on the way. Finishing again takes it back or goes on."
        : session.state === "open"
          ? failed
          : undefined;
  if (why === undefined) return null;
  return (
    <div className="note session-note hold">
      <Glyph state="hold" />
      <div>
        <Words text={why} />
      </div>
    </div>
  );
}
