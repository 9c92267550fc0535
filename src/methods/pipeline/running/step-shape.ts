import { z } from "zod";
import { asOfField } from "../../../kernel/operation/operation-fields.ts";

const statusCounts = z.object({
  pending: z.number().optional(),
  in_progress: z.number().optional(),
  waiting: z.number().optional(),
  on_hold: z.number().optional(),
  completed: z.number().optional(),
  failed: z.number().optional(),
  cancelled: z.number().optional(),
});

const taskStatus = z.enum([
  "pending",
  "in_progress",
  "waiting",
  "on_hold",
  "completed",
  "failed",
  "cancelled",
]);

export const stepShape = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(["task", "decision", "foreach", "join", "subflow"]),
  execution: z.enum(["automated", "manual"]).optional(),
  counts: statusCounts.describe("Tasks by status; of a foreach its items."),
  taskId: z.string().optional().describe("The newest task of the step."),
  status: taskStatus.optional(),
  reason: z.string().optional().describe("Why it is held, or failed."),
  items: z.object({ total: z.number(), pending: z.number() }).optional(),
});

export const outlineShape = z.object({
  runId: z.string(),
  name: z.string(),
  state: z.string(),
  reason: z.string().optional(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  steps: z.array(stepShape).describe("In drawing order."),
  asOf: asOfField,
});
