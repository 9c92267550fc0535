import { useState } from "react";
import type { Input, Item } from "../../api/operation.ts";
import { useList } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useQueryField } from "../../router/place.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { useMay } from "../../shell/session.ts";
import { BeginSheet } from "./begin-sheet.tsx";
import { intentWords, SESSION_STATES, shortChange } from "./session-words.ts";

type Session = Item<"session.list">;
type States = NonNullable<Input<"session.list">["state"]>;

const VIEWS = [
  { name: "all", label: "All" },
  { name: "open", label: "Open" },
  { name: "stuck", label: "Not pushed" },
  { name: "done", label: "Finished" },
] as const;

type View = (typeof VIEWS)[number]["name"];

const STATES: Readonly<Record<View, States | undefined>> = {
  all: undefined,
  open: ["open"],
  stuck: ["finishing", "synthesised"],
  done: ["finished"],
};

export function SessionList() {
  const project = useProjectId();
  const mayRun = useMay("run");
  const [isBeginning, setBeginning] = useState(false);
  const [asked, setView] = useQueryField("view");
  const view = VIEWS.find(({ name }) => name === asked)?.name ?? "all";
  const list = useList("session.list", { project, state: STATES[view], limit: 60 });
  return (
    <>
      <div className="head">
        <h1>Sessions</h1>
        <Segmented
          label="Which"
          choices={VIEWS}
          chosen={view}
          onChoose={(name) => setView(name === "all" ? undefined : name)}
        />
        {mayRun && list.items.length > 0 && (
          <span className="end">
            <Button icon="plus" onPress={() => setBeginning(true)}>
              Begin a session
            </Button>
          </span>
        )}
      </div>
      <div className="pane grow session-list" aria-busy={list.isReading}>
        <div className="scroll">
          <ProblemNote problem={list.problem} onRetry={list.refresh} />
          {list.isFirst && <SkeletonRows count={8} />}
          {list.items.length > 0 && <ColumnNames />}
          <div className="rows">
            {list.items.map((session) => (
              <SessionLine key={session.id} session={session} />
            ))}
          </div>
          {list.data !== undefined && list.items.length === 0 && (
            <EmptyState
              title={view === "all" ? "No prompt has left a trail yet" : "No such session"}
              command="session start - < prompt.md"
              action={
                mayRun && (
                  <Button kind="primary" icon="plus" onPress={() => setBeginning(true)}>
                    Begin a session
                  </Button>
                )
              }
            >
              A session keeps the prompt an agent was given, every change it made as a commit of its
              own, and one commit with a report that tells the whole story, in jj or git.
            </EmptyState>
          )}
          <MoreButton list={list} />
        </div>
      </div>
      {isBeginning && <BeginSheet onClose={() => setBeginning(false)} />}
    </>
  );
}

function ColumnNames() {
  return (
    <div className="group session-line hide-n" aria-hidden="true">
      <span />
      <span>Session</span>
      <span />
      <span>Change</span>
      <span className="r">Intents</span>
      <span className="r">Begun</span>
    </div>
  );
}

function SessionLine({ session }: { readonly session: Session }) {
  const { id, title, state, subject, changeId, createdAt, projectName } = session;
  const { glyph, words } = SESSION_STATES[state];
  const more = [state === "finished" ? "" : words, subject, projectName];
  return (
    <a className="session-line" href={`/sessions/${id}`}>
      <Glyph state={glyph} />
      <span className="b cut">
        <Words text={title} />
      </span>
      <span className="muted cut">
        <Words text={more.filter(Boolean).join(", ")} />
      </span>
      <span className="session-change cut hide-n">{shortChange(changeId ?? "")}</span>
      <span className="small num muted r hide-n" title={intentWords(session)}>
        {session.intents}
      </span>
      <span className="small num muted r">
        <Ago at={createdAt} />
      </span>
    </a>
  );
}
