import { z } from "zod";
import { asOfField, jsonValue } from "../../../kernel/operation/operation-fields.ts";
import { TASK_STATUSES } from "../../../kernel/store/noun-tables.ts";
import { stepShape } from "./step-shape.ts";

const taskStatus = z.enum(TASK_STATUSES);

export const graphStepShape = stepShape.extend({
  itemStates: z
    .array(z.enum(["pending", "live", "completed", "failed", "skipped", "cancelled"]))
    .optional()
    .describe("Of a foreach with few items, each of them in order."),
  assigneeName: z.string().optional().describe("Who does it, or is asked."),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  costMicroUsd: z.number().describe("What its calls have cost, in all passes."),
  calls: z.number(),
  spans: z
    .array(
      z.object({
        pass: z.number(),
        lane: z.number().describe("Work side by side goes into up to three."),
        from: z.number(),
        to: z.number().optional().describe("Absent while it goes on."),
        status: taskStatus,
        visits: z.number().describe("More than one where many short ones were put together."),
      }),
    )
    .describe("When somebody was at work on it, in all passes."),
});

export const graphEdgeShape = z.object({
  source: z.string(),
  target: z.string(),
  when: z.string().optional().describe("The condition of a decision's branch, or `default`."),
  taken: z.number().describe("How often it was gone in this pass."),
  takenInAll: z.number(),
  seen: z
    .object({ path: z.string(), value: z.string() })
    .optional()
    .describe("What the condition found when it was last asked."),
});

export const runGraphShape = z.object({
  runId: z.string(),
  name: z.string(),
  workflowId: z.string().optional(),
  workflowVersion: z.number().optional(),
  direction: z.string(),
  state: z.string(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  passes: z.number().describe("How often work went round the longest loop, and once."),
  pass: z.number().describe("The one that counts and ways are of."),
  steps: z.array(graphStepShape).describe("In drawing order."),
  edges: z.array(graphEdgeShape),
  asOf: asOfField,
});

const comparedSide = z.object({
  status: taskStatus.optional(),
  visits: z.number(),
  tookMs: z.number().optional(),
  costMicroUsd: z.number(),
  calls: z.number(),
  output: jsonValue.optional().describe("What its newest task came to."),
});

export const comparisonShape = z.object({
  runs: z.array(
    z.object({
      runId: z.string(),
      title: z.string(),
      state: z.string(),
      workflowVersion: z.number().optional(),
      startedAt: z.number().optional(),
      finishedAt: z.number().optional(),
      turns: z.number(),
      costMicroUsd: z.number(),
      input: jsonValue,
    }),
  ),
  steps: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        type: z.string(),
        /** The order of the runs; absent where the workflow of that run has no such step. */
        sides: z.array(comparedSide.optional()),
        isSame: z.boolean().describe("It went the same way and came to the same output."),
        differences: z
          .array(
            z.object({
              path: z.string().describe("Where the outputs differ."),
              values: z.array(jsonValue.optional()),
            }),
          )
          .describe("At most 50 of them."),
        moreDifferences: z.number(),
      }),
    )
    .describe("Steps of either, in drawing order."),
  asOf: asOfField,
});
