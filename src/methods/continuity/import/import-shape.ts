/** Imports as operations give them. */

import { z } from "zod";
import { asOfField, pageOf } from "../../../kernel/operation/operation-fields.ts";
import { importProgressSchema } from "./import-progress.ts";

const totals = z.object({
  added: z
    .number()
    .describe("Conversations that are new here; a branch that was left counts as one."),
  extended: z.number().describe("Conversations that got new messages."),
  edited: z
    .number()
    .describe("Conversations with nothing new but changed words; what came in first stays."),
  messagesAdded: z.number(),
  messagesEdited: z
    .number()
    .describe("Messages whose words differ from what is here; left as they are."),
});

const problem = z.object({
  file: z.string(),
  offset: z.number().optional().describe("Of the first byte, from the beginning of the file."),
  line: z.number().optional().describe("From 1."),
  code: z.string(),
  message: z.string(),
});

const common = {
  name: z.string().describe("The file's name where it came from."),
  bytes: z.number(),
  branch: z.enum(["visible", "all"]),
  projectId: z.string().optional(),
  progress: importProgressSchema,
  totals,
};

export const importShape = z.object({
  id: z.string(),
  state: z.enum(["running", "interrupted", "completed", "stopped", "failed"]),
  ...common,
  startedBy: z.string(),
  reason: z.string().optional(),
  startedAt: z.number(),
  finishedAt: z.number().optional(),
});

export const importList = pageOf(importShape);

export const importResult = z.object({
  importId: z.string().optional().describe("Absent when it was only a look."),
  state: z.enum(["completed", "planned"]).describe("`planned`: nothing was written."),
  ...common,
  problems: z.array(problem).describe("At most 1,000; `progress.problems` counts all."),
  tookMs: z.number(),
});

export const importDetail = z.object({
  import: importShape,
  problems: z.array(problem).describe("The first ones; `progress.problems` counts all."),
  changed: z
    .array(
      z.object({
        conversationId: z.string(),
        title: z.string(),
        outcome: z.enum(["added", "extended", "edited"]),
        messagesAdded: z.number(),
        messagesEdited: z.number(),
      }),
    )
    .describe("Some of the conversations it touched; those with changed words first."),
  asOf: asOfField,
});

export type ShownImport = z.output<typeof importShape>;
export type ImportResult = z.output<typeof importResult>;
export type ImportDetail = z.output<typeof importDetail>;
export type ShownProblem = z.output<typeof problem>;
