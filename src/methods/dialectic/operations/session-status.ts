/** Where a dialectic stands: stages × steps × slots, what it has used, what it waits for. */

import { z } from "zod";
import { asOfField } from "../../../kernel/operation/operation-fields.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { type Identity, identityKey } from "../planning/identity.ts";
import { identitiesOf } from "../planning/topology.ts";
import type { CompiledStage, CompiledStep } from "../recipe/compiled-domain.ts";
import { type ArtifactTable, dialectic } from "../running/dialectic-tables.ts";
import { identityOf, type Session } from "../running/load-session.ts";
import { GATE_WAIT } from "../running/look-handler.ts";
import { listOpenTurns, listSpent, type OpenTurn, spentShape } from "./open-turns.ts";

const CELL_STATES = ["ahead", "queued", "working", "held", "complete", "partial", "stale"] as const;

const cellShape = z.object({
  place: z.string().describe("`s1`, `s1.l2`, `s1.l2.m3`: slot, proposal, reviewer."),
  slot: z.int(),
  lineage: z.int().nullable(),
  match: z.int().nullable(),
  state: z.enum(CELL_STATES),
  artifactId: z.string().optional(),
  version: z.int().optional(),
  iteration: z.int().optional(),
  isEdited: z.boolean().optional(),
  isRevised: z.boolean().optional(),
  jobId: z.string().optional().describe("Of what is queued, under way or held."),
  exchangeId: z.string().optional().describe("Its newest call."),
  waitId: z.string().optional().describe("Where the inbox asks about it."),
  reason: z.string().optional().describe("Why it is held."),
});

const stepShape = z.object({
  key: z.string(),
  documentKey: z.string(),
  title: z.string(),
  outputType: z.string(),
  done: z.int(),
  total: z.int(),
  cells: z.array(cellShape),
});

const stageShape = z.object({
  key: z.string(),
  title: z.string(),
  state: z.enum(["done", "current", "ahead"]),
  done: z.int(),
  total: z.int(),
  steps: z.array(stepShape),
});

export const statusShape = z.object({
  runId: z.string(),
  title: z.string(),
  request: z.string(),
  domain: z.string(),
  domainTitle: z.string(),
  state: z.string(),
  reason: z.string().optional(),
  status: z.string(),
  stage: z.string(),
  iteration: z.int(),
  isAuto: z.boolean(),
  isRefreshing: z.boolean(),
  reviewers: z.int().optional(),
  slots: z.array(z.object({ n: z.int(), model: z.string() })),
  stages: z.array(stageShape),
  stale: z.int(),
  partial: z.int(),
  openFeedback: z.int(),
  use: z.object({
    turns: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    costMicroUsd: z.int(),
    hasUnknownCost: z.boolean(),
  }),
  spent: z.array(spentShape).describe("What calls have taken, by stage and slot."),
  gate: z
    .object({
      waitId: z.string(),
      title: z.string(),
      reason: z.string(),
      answers: z.array(z.string()),
    })
    .optional(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  asOf: asOfField,
});

export type Status = z.output<typeof statusShape>;
type Cell = z.output<typeof cellShape>;
type CellRow = Pick<
  ArtifactTable,
  | "id"
  | "stage"
  | "step"
  | "slot"
  | "lineage"
  | "match"
  | "iteration"
  | "version"
  | "state"
  | "author"
  | "based_on"
>;

export function* statusOf(session: Session, asOf: number): DatabaseWork<Status> {
  const { runId, row, domain, slots } = session;
  const run = yield* queryFirst(dialectic.selectFrom("run").selectAll().where("id", "=", runId));
  if (run === undefined) throw new Error(`Run ${runId} is gone.`);
  const current = yield* currentCells(runId);
  const open = yield* listOpenTurns(runId);
  const [gate] = yield* query(
    dialectic
      .selectFrom("wait")
      .select(["id", "title", "reason", "answers"])
      .where("run_id", "=", runId)
      .where("kind", "=", GATE_WAIT)
      .where("state", "=", "open"),
  );
  const [remarks] = yield* query(
    dialectic
      .selectFrom("dialectic_feedback")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("run_id", "=", runId)
      .where("state", "=", "open"),
  );
  const at = domain.stages.findIndex(({ key }) => key === row.stage);
  const stages = domain.stages.map((stage, index) =>
    stageStatus(session, stage, stageState(index, at, row.status), current, open),
  );
  const cells = stages.flatMap(({ steps }) => steps.flatMap((step) => step.cells));
  const reason =
    run.reason === null ? undefined : (JSON.parse(run.reason) as { message?: string } | null);
  return {
    runId,
    title: session.title,
    request: row.request,
    domain: domain.key,
    domainTitle: domain.title,
    state: run.state,
    ...(reason?.message === undefined ? {} : { reason: reason.message }),
    status: row.status,
    stage: row.stage,
    iteration: row.iteration,
    isAuto: row.is_auto === 1,
    isRefreshing: row.is_refreshing === 1,
    ...(row.reviewers === null ? {} : { reviewers: row.reviewers }),
    slots: slots.map((model, index) => ({ n: index + 1, model })),
    stages,
    stale: cells.filter(({ state }) => state === "stale").length,
    partial: cells.filter(({ state }) => state === "partial").length,
    openFeedback: remarks?.count ?? 0,
    use: {
      turns: run.turns,
      inputTokens: run.input_tokens,
      outputTokens: run.output_tokens,
      costMicroUsd: run.cost_micro_usd,
      hasUnknownCost: run.has_unknown_cost === 1,
    },
    spent: [...(yield* listSpent(runId))],
    ...(gate === undefined
      ? {}
      : {
          gate: {
            waitId: gate.id,
            title: gate.title,
            reason: gate.reason,
            answers: JSON.parse(gate.answers) as string[],
          },
        }),
    ...(run.started_at === null ? {} : { startedAt: run.started_at }),
    ...(run.finished_at === null ? {} : { finishedAt: run.finished_at }),
    asOf,
  };
}

function stageState(index: number, at: number, status: string): "done" | "current" | "ahead" {
  if (index < at || status === "finished") return "done";
  return index === at ? "current" : "ahead";
}

/** The newest of each identity that has not been replaced. */
export function* currentCells(runId: string): DatabaseWork<ReadonlyMap<string, CellRow>> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .select([
        "id",
        "stage",
        "step",
        "slot",
        "lineage",
        "match",
        "iteration",
        "version",
        "state",
        "author",
        "based_on",
      ])
      .where("run_id", "=", runId)
      .where("kind", "<>", "seed")
      .where("state", "<>", "superseded")
      .orderBy("iteration")
      .orderBy("id"),
  );
  return new Map(rows.map((each) => [identityKey(identityOf(each)), each]));
}

function stageStatus(
  { topology, slots, row }: Session,
  stage: CompiledStage,
  state: "done" | "current" | "ahead",
  current: ReadonlyMap<string, CellRow>,
  open: ReadonlyMap<string, OpenTurn>,
) {
  // In a new iteration the stages ahead still show what the one before left.
  const steps = stage.steps.map((step) => {
    const cells = identitiesOf(step, topology).map((identity) =>
      cellOf(identity, current, open, slots),
    );
    return { ...described(step), ...counted(cells), cells };
  });
  return {
    key: stage.key,
    title: stage.title,
    state: row.status === "finished" ? ("done" as const) : state,
    done: steps.reduce((sum, { done }) => sum + done, 0),
    total: steps.reduce((sum, { total }) => sum + total, 0),
    steps,
  };
}

function described({ key, documentKey, shape, outputType }: CompiledStep) {
  return { key, documentKey, title: shape.title, outputType };
}

function counted(cells: readonly Cell[]) {
  const isThere = ({ state }: Cell) => state === "complete" || state === "partial";
  return { done: cells.filter(isThere).length, total: cells.length };
}

function cellOf(
  identity: Identity,
  current: ReadonlyMap<string, CellRow>,
  open: ReadonlyMap<string, OpenTurn>,
  slots: readonly string[],
): Cell {
  const key = identityKey(identity);
  const row = current.get(key);
  const { slot, lineage, match } = identity;
  const place = key.split("/").at(-1) ?? "";
  const turn = open.get(key);
  const state = turn?.state ?? (row === undefined ? "ahead" : (row.state as Cell["state"]));
  const isEdited = row !== undefined && !slots.includes(row.author);
  return {
    place,
    slot,
    lineage,
    match,
    ...turn,
    state,
    ...(row === undefined
      ? {}
      : {
          artifactId: row.id,
          version: row.version,
          iteration: row.iteration,
          isEdited,
          isRevised: !isEdited && row.based_on !== null,
        }),
  };
}
