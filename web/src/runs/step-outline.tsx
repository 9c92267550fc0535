/** Where a run stands, step by step, as text: the same content as any drawing of it. */

import type { Output } from "../api/operation.ts";
import { useOperation } from "../data/use-operation.ts";
import { Glyph } from "../parts/glyph.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { stateOf, statusWords } from "../parts/state.ts";
import { Words } from "../parts/words.tsx";

type WorkflowStep = Output<"step.list">["steps"][number];
type PlainStep = Output<"run.show">["steps"][number];

/** A step of either kind of run, as the outline shows it. */
export interface OutlineStep {
  readonly id: string;
  readonly name: string;
  /** What kind of step it is, in a word; plain runs do not know. */
  readonly type: string | undefined;
  readonly status: string;
  readonly fact: string;
  readonly reason: string | undefined;
  readonly taskId: string | undefined;
  /** How many of its parts are over, where it has parts. */
  readonly progress: { readonly done: number; readonly total: number } | undefined;
}

const LOOK_MS = 2000;

/** Steps of workflows come from their drawing, those of other methods from the jobs that were done. */
export function useSteps(runId: string): {
  readonly steps: readonly OutlineStep[] | undefined;
  readonly problem: ReturnType<typeof useOperation>["problem"];
} {
  const run = useOperation("run.show", { runId });
  const state = run.data?.run.state;
  const isWorkflow = run.data?.run.method === "pipeline";
  const isLive = state === "running" || state === "queued";
  // That a step begins is no event; while something runs it is looked at now and then.
  const everyMs = isLive ? LOOK_MS : undefined;
  const outline = useOperation("step.list", isWorkflow ? { runId } : undefined, { everyMs });
  const steps = isWorkflow
    ? outline.data?.steps.map(workflowStep)
    : run.data?.steps.map((step) => plainStep(step));
  return { steps, problem: run.problem ?? outline.problem };
}

const OVER = ["completed", "failed", "cancelled"] as const;

function workflowStep(step: WorkflowStep): OutlineStep {
  const { id, name, type, execution, counts, status = "pending", reason, items, taskId } = step;
  const total = items?.total ?? Object.values(counts).reduce((sum, each) => sum + (each ?? 0), 0);
  const done = OVER.reduce((sum, each) => sum + (counts[each] ?? 0), 0);
  const isReached = Object.keys(counts).length > 0;
  // A person's step is pending in the books; what it does is wait for them.
  const isAsked = execution === "manual" && (counts.pending ?? 0) > 0;
  return {
    id,
    name,
    type: execution === "manual" ? "manual" : type,
    status: isAsked ? "waiting" : isReached ? status : "pending",
    fact: isAsked ? "waits for a person" : stepFact(step, done, total),
    reason,
    taskId,
    progress: items === undefined ? undefined : { done, total },
  };
}

function stepFact({ counts, items, status }: WorkflowStep, done: number, total: number): string {
  if (items !== undefined) return `${done} of ${total}`;
  const visits = Object.values(counts).reduce((sum, each) => sum + (each ?? 0), 0);
  const word = status === undefined ? "" : statusWords(status);
  return visits > 1 ? `${word}, ${visits} times` : word;
}

function plainStep({
  step,
  total,
  done,
  active,
  held,
  failed,
  cancelled,
  lastFailure,
}: PlainStep): OutlineStep {
  const status =
    held > 0
      ? "held"
      : active > 0
        ? "running"
        : failed > 0
          ? "failed"
          : done > 0
            ? "completed"
            : "cancelled";
  const parts = [
    `${done} of ${total} done`,
    active > 0 ? `${active} under way` : "",
    held > 0 ? `${held} held` : "",
    failed > 0 ? `${failed} failed` : "",
    cancelled > 0 ? `${cancelled} cancelled` : "",
  ];
  return {
    id: step,
    name: step,
    type: undefined,
    status,
    fact: parts.filter(Boolean).join(", "),
    reason: lastFailure,
    taskId: undefined,
    progress: total > 1 ? { done, total } : undefined,
  };
}

export function StepOutline({
  runId,
  chosen,
  onChoose,
}: {
  readonly runId: string;
  readonly chosen?: string | undefined;
  readonly onChoose?: (step: OutlineStep) => void;
}) {
  const { steps, problem } = useSteps(runId);
  return (
    <>
      <ProblemNote problem={problem} />
      {steps === undefined && problem === undefined && <SkeletonRows count={6} />}
      <ol className="rows steps" aria-label="Steps">
        {(steps ?? []).map((step) => (
          <StepLine key={step.id} step={step} isChosen={step.id === chosen} onChoose={onChoose} />
        ))}
      </ol>
      {steps?.length === 0 && <p className="muted">Nothing has begun yet.</p>}
    </>
  );
}

function StepLine({
  step,
  isChosen,
  onChoose,
}: {
  readonly step: OutlineStep;
  readonly isChosen: boolean;
  readonly onChoose: ((step: OutlineStep) => void) | undefined;
}) {
  const { id, name, type, status, fact, progress, reason } = step;
  const state = stateOf(status);
  const content = (
    <>
      <Glyph state={state} />
      <span className="b cut">
        <Words text={name} />
      </span>
      {id !== name && <span className="mono faint step-id">{id}</span>}
      {type !== undefined && type !== "task" && <span className="tag hide-n">{type}</span>}
      <span className="muted cut grow">{reason !== undefined && <Words text={reason} />}</span>
      {progress !== undefined && (
        <span
          className={`prog ${state}`}
          style={{ "--w": `${(100 * progress.done) / Math.max(1, progress.total)}%` } as object}
        >
          <i />
        </span>
      )}
      <span className="small muted num end">{fact}</span>
    </>
  );
  if (onChoose === undefined) return <li>{content}</li>;
  return (
    <li className="whole" aria-current={isChosen ? "true" : undefined}>
      <button type="button" onClick={() => onChoose(step)} aria-pressed={isChosen}>
        {content}
      </button>
    </li>
  );
}
