/** Inbox entries as operations give them. */

import { z } from "zod";
import { asOfField, jsonValue, pageOf } from "../../kernel/operation/operation-fields.ts";
import { formField } from "../../kernel/run/answer-form.ts";
import { RUN_STATES } from "./run-shape.ts";

export const WAIT_STATES = ["open", "answered", "expired", "cancelled"] as const;

export const waitIdField = z
  .string()
  .min(1)
  .max(100)
  .describe("The entry's id, or a unique beginning of it.");

export const waitSummary = z.object({
  id: z.string(),
  key: z.string().describe("Names it within its run, also before it is asked."),
  kind: z.string(),
  title: z.string(),
  reason: z.string(),
  answers: z.array(z.string()).readonly().describe("The words it may be answered with."),
  state: z.enum(WAIT_STATES),
  runId: z.string(),
  runTitle: z.string(),
  method: z.string(),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  assigneeId: z.string().optional(),
  assigneeName: z.string().optional(),
  snoozedUntil: z.number().optional(),
  deadline: z.number().optional().describe("When it answers itself."),
  onDeadline: z.string().optional().describe("The answer it then gives itself."),
  version: z.number(),
  createdAt: z.number(),
});

export const waitList = pageOf(waitSummary).extend({
  total: z.number().describe("How many there are on all pages."),
});

export const waitDetail = z.object({
  wait: waitSummary,
  runState: z.enum(RUN_STATES),
  evidence: z.array(jsonValue).readonly(),
  form: z.array(formField).readonly(),
  mayAnswer: z.boolean().describe("Whether you may answer it."),
  answer: z
    .object({
      choice: z.string(),
      fields: jsonValue.optional(),
      note: z.string().optional(),
      by: z.string(),
      byName: z.string().optional(),
      at: z.number(),
    })
    .optional(),
  asOf: asOfField,
});
