/** Workflows as operations take and give them. */

import { z } from "zod";
import { asOfField, jsonValue, pageOf } from "../../../kernel/operation/operation-fields.ts";

export const workflowField = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .describe("A workflow: its name, its id or a unique beginning of it, or `library:<name>`.");

export const versionField = z
  .int()
  .min(1)
  .describe("One of its versions; the current one unless given.");

export const sourceField = z
  .string()
  .min(1)
  .max(1_000_000)
  .describe("The mermaid flowchart with its WORKFLOW_CONFIG block.");

export const nameField = z.string().trim().min(1).max(100).describe("What it is called.");
export const descriptionField = z
  .string()
  .max(5000)
  .describe("What it is for, in a sentence or two.");
export const summaryField = z.string().trim().max(500).describe("What changed, in a line.");
export const draftField = z
  .boolean()
  .describe("Keep it although it is not ready: errors are allowed, and it does not run.");
export const stageField = z.string().min(1).max(200).describe("A step's id in the diagram.");

export const problemShape = z.object({
  code: z.string(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  hint: z.string().optional(),
  stepId: z.string().optional(),
  line: z.number().optional(),
  column: z.number().optional(),
  excerpt: z.string().optional().describe("The line with an arrow under the place."),
  fix: z
    .object({
      label: z.string(),
      start: z.number().describe("Where what is wrong begins in the source, in characters."),
      end: z.number(),
      text: z.string().describe("What belongs there instead."),
    })
    .optional()
    .describe("What was probably meant."),
});

export const workflowShape = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  origin: z.enum(["workspace", "project", "library"]).describe("Whose it is."),
  libraryRef: z.string().optional().describe("The file of the library whose runs it keeps."),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  currentVersion: z.number().optional().describe("What runs; absent while there are only drafts."),
  lastVersion: z.number().describe("The newest, also when it is a draft."),
  isArchived: z.boolean(),
  createdBy: z.string(),
  version: z.number().describe("Counts every change, also of name and description."),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const libraryWorkflowShape = z.object({
  ref: z.string().describe("How it is named: `library:<name>`."),
  name: z.string(),
  description: z.string(),
  path: z.string(),
  layer: z.string().describe("Where the file lies: built-in, workspace or project."),
  overrides: z.array(z.string()).readonly().describe("The layers whose file it hides."),
  steps: z.number(),
  errors: z.number(),
});

export const workflowList = pageOf(workflowShape).extend({
  library: z
    .array(libraryWorkflowShape)
    .describe("Ready to run, or to be copied and changed; on the first page only."),
});

export const edgeShape = z.object({
  source: z.string(),
  target: z.string(),
  when: z.string().optional().describe("The condition of a decision's branch, or `default`."),
});

/** A step with the seed's fields; what is not set is absent. */
export const stepShape = z
  .object({
    id: z.string(),
    name: z.string(),
    stepType: z.enum(["task", "decision", "foreach", "join", "subflow"]),
    execution: z.enum(["automated", "manual"]).optional(),
  })
  .catchall(jsonValue);

export const workflowDetail = z.object({
  name: z.string(),
  description: z.string(),
  workflow: workflowShape.optional().describe("Absent for a file of the library that never ran."),
  library: libraryWorkflowShape.optional(),
  shownVersion: z.number().optional(),
  isDraft: z.boolean(),
  source: z.string(),
  direction: z.string(),
  inputSchema: jsonValue.optional().describe("What a run of it is given, as JSON Schema."),
  steps: z.array(stepShape),
  edges: z.array(edgeShape),
  problems: z.array(problemShape),
  createdByName: z.string().optional(),
  runs: z.number().describe("Runs it was executed by, of all versions."),
  asOf: asOfField,
});

export const stepDetail = z.object({
  workflowId: z.string().optional(),
  workflowVersion: z.number().optional(),
  step: stepShape,
  comesFrom: z.array(edgeShape),
  leadsTo: z.array(edgeShape),
});

const placeShape = z
  .object({ from: z.number(), to: z.number() })
  .describe("Lines of the source, the first being 1.");

export const workflowGraph = z.object({
  name: z.string().optional(),
  direction: z.string(),
  inputSchema: jsonValue.optional(),
  isValid: z.boolean().describe("It can run: no errors, perhaps warnings."),
  steps: z.array(stepShape),
  places: z
    .array(
      z.object({
        id: z.string(),
        drawnAt: z.array(placeShape).describe("Where it is drawn."),
        settingsAt: placeShape.optional().describe("Where its settings stand."),
      }),
    )
    .describe("Where each step stands in the source, in the same order."),
  edges: z.array(edgeShape.extend({ line: z.number() })),
  errors: z.number(),
  warnings: z.number(),
  problems: z.array(problemShape),
});

const pathShape = z.object({
  path: z.string().describe("As it is written between braces."),
  kind: z.string().optional().describe("What kind of value stands there, where it is known."),
  from: z.string().describe("What brings it: a step's name, the run's input, the foreach."),
  example: z
    .string()
    .optional()
    .describe("What stood there in the newest run, in a few characters: of a list how many."),
});

export const pathList = z.object({
  paths: z.array(pathShape),
  more: z.number().describe("How many further ones there are."),
  runId: z.string().optional().describe("The run the examples come from."),
});

export const versionList = z.object({
  workflowId: z.string(),
  name: z.string(),
  currentVersion: z.number().optional(),
  items: z.array(
    z.object({
      version: z.number(),
      isCurrent: z.boolean(),
      isDraft: z.boolean(),
      summary: z.string(),
      sourceHash: z.string(),
      createdBy: z.string(),
      createdByName: z.string().optional(),
      createdAt: z.number(),
    }),
  ),
  nextCursor: z.string().optional(),
  asOf: asOfField,
});

export const checkShape = z.object({
  name: z.string().optional(),
  isValid: z.boolean().describe("It can run: no errors, perhaps warnings."),
  steps: z.number(),
  edges: z.number(),
  errors: z.number(),
  warnings: z.number(),
  problems: z.array(problemShape),
});

export const savedShape = workflowShape.extend({
  savedVersion: z.number(),
  isNew: z.boolean().describe("False when this is what stood there already: nothing was added."),
  isDraft: z.boolean(),
  problems: z.array(problemShape).describe("Warnings; of a draft also errors."),
});
