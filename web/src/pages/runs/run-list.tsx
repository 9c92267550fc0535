import type { Input, Item } from "../../api/operation.ts";
import { useList } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { money, plural, span, words } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { stateOf, statusWords } from "../../parts/state.ts";
import { Segmented } from "../../parts/tabs.tsx";
import { Ago, Lasting } from "../../parts/time.tsx";
import { Words } from "../../parts/words.tsx";
import { useQueryField } from "../../router/place.ts";
import { useProjectId } from "../../shell/current-project.ts";
import { openSheet } from "../../shell/open-sheet.ts";
import { useMay } from "../../shell/session.ts";

type Run = Item<"run.list">;
type RunStates = NonNullable<Input<"run.list">["state"]>;

const VIEWS = [
  { name: "all", label: "All" },
  { name: "active", label: "Active" },
  { name: "waiting", label: "Waiting" },
  { name: "stopped", label: "Held or failed" },
  { name: "done", label: "Done" },
] as const;

type View = (typeof VIEWS)[number]["name"];

const STATES: Readonly<Record<View, RunStates | undefined>> = {
  all: undefined,
  active: ["queued", "running"],
  waiting: ["waiting", "paused"],
  stopped: ["held", "failed"],
  done: ["completed", "cancelled"],
};

export function RunList() {
  const project = useProjectId();
  const mayRun = useMay("run");
  const [asked, setView] = useQueryField("view");
  const view = VIEWS.find(({ name }) => name === asked)?.name ?? "all";
  const list = useList("run.list", { project, state: STATES[view], limit: 60 });
  const start = () => openSheet("start-run");
  return (
    <>
      <div className="head">
        <h1>Runs</h1>
        <Segmented
          label="Which"
          choices={VIEWS}
          chosen={view}
          onChoose={(name) => setView(name === "all" ? undefined : name)}
        />
        {mayRun && (
          <span className="end">
            <Button icon="play" keys="s" onPress={start}>
              Start a run
            </Button>
          </span>
        )}
      </div>
      <div className="pane grow run-list" aria-busy={list.isReading}>
        <div className="scroll">
          <ProblemNote problem={list.problem} onRetry={list.refresh} />
          {list.isFirst && <SkeletonRows count={10} />}
          {list.items.length > 0 && <ColumnNames />}
          <div className="rows">
            {list.items.map((run) => (
              <RunLine key={run.id} run={run} />
            ))}
          </div>
          {list.data !== undefined && list.items.length === 0 && (
            <EmptyState
              title={view === "all" ? "Nothing has run yet" : "No such run"}
              command="workflow run library:document-review --follow"
              action={
                mayRun && (
                  <Button kind="primary" icon="play" onPress={start}>
                    Start a run
                  </Button>
                )
              }
            >
              A run is one execution of a workflow or another method. It survives crashes, waits for
              people, and keeps every prompt.
            </EmptyState>
          )}
          <MoreButton list={list} />
        </div>
      </div>
    </>
  );
}

function ColumnNames() {
  return (
    <div className="group run-line hide-n" aria-hidden="true">
      <span />
      <span>Run</span>
      <span />
      <span className="r">Calls</span>
      <span className="r">Cost</span>
      <span className="r">Took</span>
      <span className="r">Begun</span>
    </div>
  );
}

function RunLine({ run }: { readonly run: Run }) {
  const { id, title, state, reason, openWaits, turns, costMicroUsd, hasUnknownCost, createdAt } =
    run;
  const more = [
    openWaits > 0 ? `${plural(openWaits, "entry", "entries")} in the inbox` : "",
    state === "completed" || openWaits > 0 ? "" : statusWords(state),
    reason?.message ?? "",
    words(run.method),
    run.projectName ?? "",
  ];
  return (
    <a className="run-line" href={`/runs/${id}`}>
      <Glyph state={stateOf(state)} />
      <span className="b cut">
        <Words text={title} />
      </span>
      <span className="muted cut">
        <Words text={more.filter(Boolean).join(", ")} />
      </span>
      <span className="small num muted r hide-n">{turns}</span>
      <span className="small num r hide-n">
        {money(costMicroUsd)}
        {hasUnknownCost && "+"}
      </span>
      <span className="small num muted r hide-n">
        <Took run={run} />
      </span>
      <span className="small num muted r">
        <Ago at={createdAt} />
      </span>
    </a>
  );
}

function Took({ run: { state, startedAt, finishedAt } }: { readonly run: Run }) {
  if (startedAt === undefined) return null;
  if (finishedAt !== undefined) return span(finishedAt - startedAt);
  return state === "running" ? <Lasting from={startedAt} /> : null;
}
