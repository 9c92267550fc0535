/** Runs, their steps and exchanges as operations give them. */

import { z } from "zod";
import { asOfField, jsonValue, pageOf } from "../../kernel/operation/operation-fields.ts";

export const RUN_STATES = [
  "queued",
  "running",
  "waiting",
  "paused",
  "held",
  "completed",
  "failed",
  "cancelled",
] as const;

const reasonShape = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});

export const runSummary = z.object({
  id: z.string(),
  title: z.string(),
  method: z.string(),
  state: z.enum(RUN_STATES),
  reason: reasonShape.optional().describe("Why it is held, paused or failed."),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  parentRunId: z.string().optional(),
  startedBy: z.string(),
  startedByName: z.string().optional(),
  openWaits: z.number().describe("What it waits for in the inbox."),
  turns: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  costMicroUsd: z.number(),
  hasUnknownCost: z.boolean().describe("A model it used has no known price."),
  isArchived: z.boolean(),
  version: z.number(),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
});

export const runList = pageOf(runSummary);

/** How far it may go; reaching one holds it. */
const runLimits = z.object({
  turns: z.number(),
  jobs: z.number(),
  tokens: z.number().optional(),
  costMicroUsd: z.number().optional(),
  wallMs: z.number().optional(),
  allowUnknownPrice: z.boolean().optional(),
});

export const runShape = runSummary.extend({
  input: jsonValue,
  result: jsonValue.optional(),
  limits: runLimits,
  jobs: z.number(),
  openJobs: z.number(),
  heldJobs: z.number(),
});

export const stepShape = z.object({
  step: z.string(),
  total: z.number(),
  done: z.number(),
  active: z.number().describe("Under way or ready to start."),
  held: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  lastFailure: z.string().optional(),
});

export const runDetail = z.object({
  run: runShape,
  steps: z.array(stepShape).readonly().describe("In the order they first appeared."),
  waits: z
    .array(
      z.object({
        id: z.string(),
        kind: z.string(),
        title: z.string(),
        assigneeId: z.string().optional(),
        createdAt: z.number(),
      }),
    )
    .readonly()
    .describe("The oldest hundred of what it waits for; `run.openWaits` counts all."),
  children: z
    .array(z.object({ id: z.string(), title: z.string(), state: z.enum(RUN_STATES) }))
    .readonly()
    .describe("The oldest hundred of the runs below it; `childRuns` counts all."),
  childRuns: z.number(),
  exchanges: z.number(),
  artifacts: z.number(),
  asOf: asOfField,
});

export const eventShape = z.object({
  cursor: z.string(),
  stream: z.string(),
  seq: z.number(),
  type: z.string(),
  projectId: z.string().nullable(),
  actor: z.string(),
  actorName: z.string().optional(),
  data: jsonValue.optional().describe("Absent once pruned."),
  at: z.number(),
  hash: z.string(),
});

export const eventList = pageOf(eventShape);
