/** What schedules and webhooks have in common, as operations take and give it. */

import { z } from "zod";
import type { JsonObject } from "../../../kernel/base/json.ts";
import { nameOf, projectNames, userNames } from "../../../kernel/operation/names.ts";
import { jsonValue, projectField } from "../../../kernel/operation/operation-fields.ts";
import { versionField, workflowField } from "../catalogue/workflow-shape.ts";
import { inputFields } from "../running/read-input.ts";
import { workflowNames } from "./started-workflow.ts";
import type { StarterRow } from "./starter-tables.ts";

export const starterName = z.string().trim().min(1).max(100).describe("What it is called.");

export const starterFields = {
  workflow: workflowField,
  workflowVersion: versionField
    .optional()
    .describe("Always this version; whichever is current by then unless given."),
  ...inputFields,
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("For steps whose agent names none; the workspace's default unless given."),
  project: projectField
    .optional()
    .describe("Where it runs; the workflow's own project unless given."),
};

export const starterShape = z.object({
  id: z.string(),
  name: z.string(),
  workflow: z.string().describe("What it starts, as people call it."),
  workflowId: z.string().optional().describe("Absent for a workflow of the library."),
  workflowVersion: z.number().optional().describe("Absent: whichever is current by then."),
  input: jsonValue,
  model: z.string().optional(),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  isEnabled: z.boolean(),
  runsAs: z.string().describe("Whose rights its runs have: whoever said last what it starts."),
  runsAsName: z.string().optional(),
  createdBy: z.string(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

type Shown = z.input<typeof starterShape>;

export function* showStarters<Row extends StarterRow>(rows: readonly Row[]) {
  const workflows = yield* workflowNames(rows);
  const people = yield* userNames(rows.map(({ runs_as }) => runs_as));
  const projects = yield* projectNames(rows.map(({ project_id }) => project_id ?? undefined));
  return rows.map((row): Shown & { row: Row } => ({
    row,
    id: row.id,
    name: row.name,
    workflow: workflows.get(row.workflow_id ?? "") ?? row.library_ref ?? row.workflow_id ?? "",
    workflowId: row.workflow_id ?? undefined,
    workflowVersion: row.workflow_version ?? undefined,
    input: JSON.parse(row.input) as JsonObject,
    model: row.model ?? undefined,
    projectId: row.project_id ?? undefined,
    projectName: nameOf(projects, row.project_id ?? undefined),
    isEnabled: row.is_enabled === 1,
    runsAs: row.runs_as,
    runsAsName: nameOf(people, row.runs_as),
    createdBy: row.created_by,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}
