/** A run of a workflow as its graph, live, with its times below and the chosen step beside it. */

import { lazy, Suspense } from "react";
import { useOperation } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Segmented } from "../../parts/tabs.tsx";
import { useQueryField } from "../../router/place.ts";
import {
  outlineStep,
  type RunGraph as Graph,
  runEdges,
  runNodes,
  stepStatus,
} from "./run-drawing.ts";
import type { RunTabProps } from "./run-view.tsx";
import { StepPane } from "./step-pane.tsx";
import { Timeline } from "./timeline.tsx";

const GraphCanvas = lazy(() => import("../../graph/graph-canvas.tsx"));

const LOOK_MS = 2000;

interface ShownGraph {
  readonly graph: Graph | undefined;
  readonly problem: ReturnType<typeof useOperation>["problem"];
}

function useGraph({ detail }: RunTabProps, pass: string | undefined): ShownGraph {
  const { id, state } = detail.run;
  // That a step begins is no event; while something runs it is looked at now and then.
  const everyMs = state === "running" || state === "queued" ? LOOK_MS : undefined;
  const number = Number(pass);
  const input = { runId: id, ...(pass !== undefined && number > 0 ? { pass: number } : {}) };
  const { data, problem } = useOperation("step.graph", input, { everyMs });
  return { graph: data, problem };
}

export function RunGraph(props: RunTabProps) {
  const [pass, setPass] = useQueryField("pass");
  const [asked, choose] = useQueryField("step");
  const { graph, problem } = useGraph(props, pass);
  const { run } = props.detail;
  if (graph === undefined) return <Coming problem={problem} />;
  const chosen =
    graph.steps.find(({ id }) => id === asked) ??
    (asked === undefined ? busiest(graph) : undefined);
  return (
    <div className="split run-steps" data-shows={asked === undefined ? "list" : "detail"}>
      <div className="pane grow run-graph">
        <Suspense fallback={<div className="canvas" aria-busy="true" />}>
          <GraphCanvas
            label={`Graph of ${graph.name}`}
            nodes={runNodes(graph)}
            edges={runEdges(graph)}
            direction={graph.direction}
            chosen={chosen?.id}
            onChoose={choose}
            hud={graph.passes > 1 && <Passes graph={graph} onChoose={setPass} />}
          />
        </Suspense>
        <Timeline graph={graph} chosen={chosen?.id} onChoose={choose} />
      </div>
      <aside className="pane step-pane" aria-label="Chosen step">
        {chosen === undefined ? (
          <EmptyState title="No step is chosen">
            Choose one to see what it was asked, what came back and what was made of it.
          </EmptyState>
        ) : (
          <StepPane
            key={chosen.id}
            run={run}
            step={outlineStep(chosen)}
            waits={props.detail.waits}
            onClose={() => choose(undefined)}
          />
        )}
      </aside>
    </div>
  );
}

/** The same times with all the room there is. */
export function RunTimeline(props: RunTabProps) {
  const [pass, setPass] = useQueryField("pass");
  const [asked, choose] = useQueryField("step");
  const { graph, problem } = useGraph(props, pass);
  if (graph === undefined) return <Coming problem={problem} />;
  const chosen = graph.steps.find(({ id }) => id === asked);
  return (
    <div className="split run-steps" data-shows={asked === undefined ? "list" : "detail"}>
      <div className="pane grow run-timeline">
        {graph.passes > 1 && (
          <div className="sub">
            <Passes graph={graph} onChoose={setPass} />
          </div>
        )}
        <Timeline graph={graph} chosen={chosen?.id} onChoose={choose} />
      </div>
      {chosen !== undefined && (
        <aside className="pane step-pane" aria-label="Chosen step">
          <StepPane
            key={chosen.id}
            run={props.detail.run}
            step={outlineStep(chosen)}
            waits={props.detail.waits}
            onClose={() => choose(undefined)}
          />
        </aside>
      )}
    </div>
  );
}

function Coming({ problem }: Pick<ShownGraph, "problem">) {
  return (
    <div className="pane grow">
      <ProblemNote problem={problem} />
      {problem === undefined && <SkeletonRows count={6} />}
    </div>
  );
}

const MOST_PASSES = 6;

function Passes({
  graph: { passes, pass },
  onChoose,
}: {
  readonly graph: Graph;
  readonly onChoose: (pass: string | undefined) => void;
}) {
  if (passes === 1) return null;
  const choose = (number: number) => onChoose(number === passes ? undefined : String(number));
  if (passes > MOST_PASSES)
    return (
      <label className="row small">
        Pass
        <select
          className="inp"
          value={pass}
          onChange={({ target }) => choose(Number(target.value))}
        >
          {Array.from({ length: passes }, (_, n) => (
            <option key={n + 1}>{n + 1}</option>
          ))}
        </select>
      </label>
    );
  return (
    <Segmented
      label="Pass"
      choices={Array.from({ length: passes }, (_, n) => {
        return { name: String(n + 1), label: `Pass ${n + 1}` };
      })}
      chosen={String(pass)}
      onChoose={(name) => choose(Number(name))}
    />
  );
}

/** What needs looking at: what is stuck, then what is asked, then what runs, then what came last. */
function busiest({ steps }: Graph) {
  for (const wanted of ["on_hold", "failed", "waiting", "in_progress"]) {
    const found = steps.find((step) => stepStatus(step) === wanted);
    if (found !== undefined) return found;
  }
  return steps.findLast(({ taskId }) => taskId !== undefined) ?? steps[0];
}
