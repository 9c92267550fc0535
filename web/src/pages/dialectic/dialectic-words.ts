/** How a dialectic's cells, stages and places are shown and named. */

import type { Output } from "../../api/operation.ts";
import type { State } from "../../parts/state.ts";

export type Status = Output<"dialectic.status">;
export type Stage = Status["stages"][number];
export type Step = Stage["steps"][number];
export type Cell = Step["cells"][number];
export type ShownDocument = Output<"dialectic.show">;
export type Remark = ShownDocument["feedback"][number];

const CELL_STATES: Readonly<Record<string, State>> = {
  ahead: "todo",
  queued: "todo",
  working: "run",
  held: "hold",
  complete: "ok",
  partial: "part",
  stale: "stale",
  superseded: "skip",
};

export function cellState(state: string): State {
  return CELL_STATES[state] ?? "todo";
}

const CELL_WORDS: Readonly<Record<string, string>> = {
  ahead: "ahead",
  queued: "queued",
  working: "writing",
  held: "held",
  complete: "done",
  partial: "with gaps",
  stale: "stale",
  superseded: "replaced",
};

/** One word or two: what became of it, and by whose hand. */
export function cellWords({ state, isEdited, isRevised }: Cell): string {
  if (state === "complete" && isEdited === true) return "edited";
  if (state === "complete" && isRevised === true) return "revised";
  return CELL_WORDS[state] ?? state;
}

export function stateWords(state: string): string {
  return CELL_WORDS[state] ?? state;
}

const REMARK_STATES: Readonly<Record<Remark["state"], State>> = {
  open: "wait",
  addressed: "ok",
  deferred: "stale",
  rejected: "skip",
};

export function remarkState(state: Remark["state"]): State {
  return REMARK_STATES[state];
}

/** A, B, C: what prompts call a slot's proposal, so that the page speaks as they do. */
export function letterOf(slot: number): string {
  let letters = "";
  for (let left = slot; left > 0; left = Math.floor((left - 1) / 26))
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  return letters;
}

/** `Slot 1`, `Slot 1 on proposal B`, `Slot 1 on proposal B with review C`. */
export function placeWords({
  slot,
  lineage,
  match,
}: Pick<Cell, "slot" | "lineage" | "match">): string {
  const about = lineage === null ? "" : ` on proposal ${letterOf(lineage)}`;
  return `Slot ${slot}${about}${match === null ? "" : ` with review ${letterOf(match)}`}`;
}

/** The same in a few characters: `B`, `B·C`; of its own proposal nothing. */
export function placeMark({ lineage, match }: Pick<Cell, "lineage" | "match">): string {
  if (lineage === null) return "";
  return match === null ? letterOf(lineage) : `${letterOf(lineage)}·${letterOf(match)}`;
}

export function modelOf({ slots }: Pick<Status, "slots">, slot: number): string {
  return slots.find(({ n }) => n === slot)?.model ?? "";
}

/** The name without who offers it. */
export function shortModel(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

export function sessionAddress(runId: string, tab?: string): string {
  return tab === undefined ? `/dialectic/${runId}` : `/dialectic/${runId}/${tab}`;
}

/** `stage/key/s1`, as documents are named everywhere. */
export function documentAddress(runId: string, name: string): string {
  return `/dialectic/${runId}/document/${name}`;
}

export function nameOfCell(stage: Stage, step: Step, cell: Cell): string {
  return `${stage.key}/${step.documentKey}/${cell.place}`;
}

export interface Placed {
  readonly stage: Stage;
  readonly step: Step;
  readonly cell: Cell;
}

export function allCells({ stages }: Pick<Status, "stages">): readonly Placed[] {
  return stages.flatMap((stage) =>
    stage.steps.flatMap((step) => step.cells.map((cell) => ({ stage, step, cell }))),
  );
}

export function findCell(status: Pick<Status, "stages">, name: string): Placed | undefined {
  return allCells(status).find(({ stage, step, cell }) => nameOfCell(stage, step, cell) === name);
}

/** The title of what a name like `thesis/business_case/s1` names, and where it stands. */
export function titleOfName(
  status: Pick<Status, "stages">,
  name: string,
): { readonly title: string; readonly stage: string; readonly mark: string } {
  const found = findCell(status, name);
  if (found !== undefined)
    return {
      title: found.step.title,
      stage: found.stage.title,
      mark: placeWords(found.cell),
    };
  const [stage = "", key = ""] = name.split("/");
  return {
    title: key.replaceAll("_", " "),
    stage: status.stages.find((each) => each.key === stage)?.title ?? stage,
    mark: "",
  };
}

/** What a session is doing, in words. */
export function sessionWords({
  state,
  status,
  stages,
  stage,
}: Pick<Status, "state" | "status" | "stages" | "stage">): string {
  const title = stages.find(({ key }) => key === stage)?.title ?? stage;
  if (state === "running" || state === "queued") return `writing ${title}`;
  if (state === "waiting")
    return status === "iteration_complete_pending_review"
      ? "all stages done"
      : `${title} done, waits for you`;
  if (state === "completed") return "finished";
  return state;
}

/** How a document is shown. */
export const VIEWS = ["read", "changes", "data"] as const;
export type View = (typeof VIEWS)[number];

/** A version that stands may be changed; one that was replaced is only read. */
export function isStanding({ state }: Pick<ShownDocument, "state">): boolean {
  return state !== "superseded";
}
