/** Tasks as operations take and give them. */

import { z } from "zod";
import {
  asOfField,
  jsonValue,
  pageOf,
  projectField,
  textField,
  titleField,
  userField,
} from "../../kernel/operation/operation-fields.ts";
import { sourceShape } from "../../kernel/operation/thought-origin.ts";
import { TASK_STATUSES, URGENCIES } from "../../kernel/store/noun-tables.ts";

/** What lists show: enough to choose by. */
export const taskSummary = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(TASK_STATUSES),
  holdReason: z.string().optional(),
  urgency: z.enum(URGENCIES),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  assigneeId: z.string().optional(),
  assigneeName: z.string().optional(),
  parentId: z.string().optional(),
  runId: z.string().optional(),
  stage: z.string().optional(),
  tags: z.array(z.string()).readonly(),
  hasBlocker: z.boolean(),
  hasOpenLoop: z.boolean(),
  isInactive: z.boolean(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const taskList = pageOf(
  taskSummary.extend({
    parts: z.number().optional().describe("How many tasks are part of it, if any."),
  }),
);

export const taskShape = taskSummary.extend({
  summary: z.string().optional(),
  description: z.string().optional(),
  extraPrompt: z.string().optional(),
  additionalInfo: jsonValue.optional(),
  workflowId: z.string().optional(),
  workflowVersion: z.number().optional(),
  input: jsonValue.optional(),
  output: jsonValue.optional(),
  confidence: z.number().optional(),
  questions: z.array(jsonValue).readonly(),
  isBlocker: z.boolean(),
  isOpenLoop: z.boolean(),
  source: sourceShape.optional(),
  createdBy: z.string(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
});

export const taskDetail = z.object({
  task: taskShape,
  createdByName: z.string().optional(),
  children: z.array(taskSummary).readonly().describe("Tasks below it, the oldest 200."),
  mayBecome: z.array(z.enum(TASK_STATUSES)).readonly().describe("The statuses it may change to."),
  asOf: asOfField,
});

export const nextTask = z.object({
  task: taskShape.optional().describe("Absent when there is nothing to do."),
  asOf: asOfField,
});

export const taskFields = {
  title: titleField.describe("What is to be done, in one line."),
  summary: textField(5000).describe("What it comes to, in a sentence or two."),
  description: textField(100_000).describe(
    "All there is to know. `[blocker]` and `[open loop]` in it count as flags.",
  ),
  extraPrompt: textField(100_000).describe("Instructions for an agent, added to its prompt."),
  additionalInfo: jsonValue.describe("Anything else, as JSON."),
  urgency: z.enum(URGENCIES).describe("How much it presses."),
  project: projectField.describe("The project it belongs to: id, unique beginning, or name."),
  assignee: userField.describe("Who is to do it: a person or an agent, or `me`."),
  parent: z.string().min(1).max(100).describe("The task it is a part of."),
  tags: z.array(z.string().trim().min(1).max(100)).max(100).describe("Words to find it by."),
  input: jsonValue.describe("What the work starts from, as JSON."),
  blocker: z.boolean().describe("Other work cannot go on before it is done."),
  openLoop: z.boolean().describe("Something unresolved that must not be forgotten."),
};

/** What a list of tasks can be narrowed by; saved views are made of the same. */
export const selectionFields = {
  project: projectField.optional().describe("Only of this project: id, unique beginning, or name."),
  status: z.array(z.enum(TASK_STATUSES)).optional().describe("Only with one of these statuses."),
  urgency: z.array(z.enum(URGENCIES)).optional().describe("Only this urgent."),
  assignee: userField
    .optional()
    .describe("Only of this person or agent; `me`, or `nobody` for tasks that no one has."),
  tag: z.array(z.string().min(1).max(100)).max(20).optional().describe("Only with all these tags."),
  text: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("Only with these words in title, summary or description."),
  blocker: z.boolean().optional().describe("Only blockers, or only others."),
  openLoop: z.boolean().optional().describe("Only open loops, or only others."),
};

export const taskOrder = z
  .enum(["newest", "oldest", "urgent"])
  .describe("What comes first; `urgent` puts the most urgent first, the oldest of equals.");
