/** What a run of a workflow is started with; it never changes, so everything in it is pinned. */

import * as z from "zod";
import { notFound, ProductError } from "../../../kernel/base/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { type DatabaseWork, runSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { singleTask } from "../agents/single-task.ts";
import { workflowRef } from "../catalogue/workflow-ref.ts";

export const PIPELINE = "pipeline";

/** It comes from JSON: what stands in it need not be looked through again, however large it is. */
const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value as Json));

const runInputSchema = z.object({
  /** Null only where a single task is done that was made from no workflow. */
  workflow: workflowRef.nullable(),
  /** Of a run that does one task outside of workflows; of its workflow, if it has one, only that task's step counts. */
  single: singleTask.optional(),
  /** By `subflowId` as it is written, for this workflow and for all below it. */
  subflows: z.record(z.string(), workflowRef),
  /** What the run works on: `run.input` to conditions and templates. */
  input: jsonObject,
  /** For steps whose agent names no model. */
  model: z.string(),
  /** Runs above this one. */
  depth: z.int().nonnegative(),
  /** Walks the graph with the rehearsal model and asks no people. */
  isDry: z.boolean(),
});

export type RunInput = z.output<typeof runInputSchema>;

export const MAX_DEPTH = 5;

interface Kept {
  readonly input: RunInput;
  readonly characters: number;
}

const MOST_KEPT = 200;
const MOST_CHARACTERS = 16_000_000;
const kept = new Map<string, Kept>();
let characters = 0;

/** Every handler of a run begins with its input, and no run's input ever changes: those read lately are kept. */
export function* readRunInput(runId: string): DatabaseWork<RunInput> {
  const known = kept.get(runId) ?? (yield* fetchInput(runId));
  forget(runId);
  kept.set(runId, known);
  characters += known.characters;
  for (const [oldest] of kept) {
    if ((kept.size <= MOST_KEPT && characters <= MOST_CHARACTERS) || oldest === runId) break;
    forget(oldest);
  }
  return known.input;
}

function* fetchInput(runId: string): DatabaseWork<Kept> {
  const [row] = yield* runSql<{ input: string; method: string }>(FIND_INPUT, [runId]);
  if (!row) throw notFound("run", runId);
  if (row.method !== PIPELINE) {
    throw new ProductError(
      "run_not_of_workflow",
      `This is a run of "${row.method}", not of a workflow.`,
      {
        kind: "conflict",
        hint: "`run show` shows any run; steps are shown and steered only of workflows.",
      },
    );
  }
  return { input: runInputSchema.parse(JSON.parse(row.input)), characters: row.input.length };
}

function forget(runId: string): void {
  characters -= kept.get(runId)?.characters ?? 0;
  kept.delete(runId);
}

const FIND_INPUT = sqlText("select input, method from run where id = ?");
