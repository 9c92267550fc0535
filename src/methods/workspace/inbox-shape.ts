/** Inbox entries as operations give them. */

import { z } from "zod";
import { formField } from "./answer-form.ts";
import { asOfField, jsonValue, pageOf } from "./operation-fields.ts";
import { RUN_STATES } from "./run-shape.ts";

export const WAIT_STATES = ["open", "answered", "expired", "cancelled"] as const;

export const waitSummary = z.object({
  id: z.string(),
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
