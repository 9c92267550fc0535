/** Making workflows and changing them. What a workflow says changes only by adding a version. */

import { z } from "zod";
import { change } from "../../../kernel/operation/change-work.ts";
import { lifecycleOperations } from "../../../kernel/operation/lifecycle-operations.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import {
  becauseField,
  expectedVersionField,
  projectField,
} from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { checkSource, refuseErrors, requireName, shownProblems } from "./check-source.ts";
import { type OpenVersion, openVersion } from "./open-version.ts";
import {
  callingFor,
  placeOfWorkflow,
  resolveOwnWorkflow,
  resolveStored,
} from "./resolve-workflow.ts";
import { showWorkflow } from "./shown-workflows.ts";
import {
  descriptionField,
  draftField,
  nameField,
  savedShape,
  sourceField,
  summaryField,
  versionField,
  workflowField,
  workflowShape,
} from "./workflow-shape.ts";
import { insertWorkflow, saveVersion } from "./workflow-versions.ts";
import { renderSaved } from "./workflow-view.ts";
import {
  archiveWorkflow,
  countOf,
  deleteWorkflow,
  restoreWorkflow,
  updateWorkflow,
} from "./workflows.ts";

const create = defineOperation({
  name: "workflow.create",
  summary: "Makes a workflow from a mermaid flowchart.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({
    name: nameField.optional().describe("What it is called; what the source says unless given."),
    source: sourceField,
    description: descriptionField.optional(),
    project: projectField
      .optional()
      .describe("The project it belongs to; the workspace's unless given."),
    summary: summaryField.default(""),
    draft: draftField.default(false),
  }),
  output: savedShape,
  surfaces: {
    cli: {
      positionals: ["name"],
      stdin: "source",
      examples: ['workflow create "Release notes" < release-notes.mmd'],
      render: rendering(savedShape, (saved) => renderSaved("Made", saved)),
    },
    mcp: "full",
  },
  run: (context, { name, source, description, project, summary, draft }) => {
    const { kernel, caller } = context;
    const id = kernel.ids.next();
    return change(context, function* (act) {
      const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      const checked = yield* checkSource(source, callingFor(context, projectId));
      refuseErrors(checked, draft);
      const { definition, problems } = checked;
      const called = requireName(name ?? definition.name);
      const words = { name: called, description: description ?? definition.description ?? "" };
      const workflow = yield* insertWorkflow(
        { id, projectId, ...words },
        { source, summary, isDraft: draft },
        act,
      );
      return {
        ...(yield* showWorkflow(workflow)),
        savedVersion: 1,
        isNew: true,
        isDraft: draft,
        problems: shownProblems(source, problems),
      };
    });
  },
});

const save = defineOperation({
  name: "workflow.save",
  summary: "Saves a new version of a workflow; adds nothing where the source is the same.",
  effect: "writes",
  permission: "edit",
  projectScope: { workflowId: placeOfWorkflow },
  input: z.object({
    workflowId: workflowField,
    source: sourceField,
    summary: summaryField.default(""),
    draft: draftField.default(false),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: savedShape,
  surfaces: {
    cli: {
      positionals: ["workflowId"],
      stdin: "source",
      examples: [
        'workflow save "Release notes" --summary "Ask a person before publishing" < release-notes.mmd',
      ],
      render: rendering(savedShape, (saved) => renderSaved("Saved", saved)),
    },
    mcp: "full",
  },
  run: (context, { workflowId, source, summary, draft, because, expectedVersion }) =>
    change(
      context,
      function* (act) {
        const { id, projectId } = yield* resolveOwnWorkflow(workflowId, callingFor(context));
        const checked = yield* checkSource(source, callingFor(context, projectId));
        refuseErrors(checked, draft);
        const next = { source, summary, isDraft: draft };
        const saved = yield* saveVersion(id, next, act, expectedVersion);
        return {
          ...(yield* showWorkflow(saved.workflow)),
          savedVersion: saved.version,
          isNew: saved.isNew,
          isDraft: draft,
          problems: shownProblems(source, checked.problems),
        };
      },
      because,
    ),
});

const update = defineOperation({
  name: "workflow.update",
  summary:
    "Changes a workflow's name, description or project. What it says is changed by `workflow save`.",
  effect: "writes",
  permission: "edit",
  projectScope: { workflowId: placeOfWorkflow, project: "project" },
  input: z.object({
    workflowId: workflowField,
    name: nameField.optional(),
    description: descriptionField.optional(),
    project: projectField.nullable().optional(),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: workflowShape,
  surfaces: {
    cli: {
      positionals: ["workflowId"],
      render: rendering(workflowShape, ({ id, name, version }) =>
        doneLine(`Changed workflow ${shortId(id)} "${name}", now version ${version}.`),
      ),
    },
    mcp: "full",
  },
  run: (context, { workflowId, project, because, expectedVersion, ...words }) =>
    change(
      context,
      function* (act) {
        const { id } = yield* resolveOwnWorkflow(workflowId, callingFor(context));
        const projectId = yield* resolveOptional(project, (text) =>
          resolveProject(text, context.caller),
        );
        const patch = { ...words, projectId };
        return yield* showWorkflow(yield* updateWorkflow(id, patch, act, expectedVersion));
      },
      because,
    ),
});

const copy = defineOperation({
  name: "workflow.copy",
  summary: "Makes a workflow of your own from one of the library, or from any other.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({
    workflowId: workflowField,
    name: nameField.optional().describe("What the copy is called; the same unless given."),
    project: projectField.optional().describe("Where it goes; the workspace unless given."),
    workflowVersion: versionField.optional(),
  }),
  output: workflowShape,
  surfaces: {
    cli: {
      positionals: ["workflowId", "name"],
      examples: ['workflow copy library:pr-review "Our review"'],
      render: rendering(workflowShape, ({ id, name }) =>
        doneLine(
          `Made workflow ${shortId(id)} "${name}". Change it with \`workflow save ${shortId(id)} < FILE\`.`,
        ),
      ),
    },
    mcp: "full",
  },
  run: (context, { workflowId, name, project, workflowVersion }) => {
    const id = context.kernel.ids.next();
    return change(context, function* (act) {
      const projectId = yield* resolveOptional(project, (text) =>
        resolveProject(text, context.caller),
      );
      const from = yield* openVersion(workflowId, workflowVersion, callingFor(context));
      const workflow = yield* insertWorkflow(
        { id, projectId, name: name ?? from.name, description: from.description },
        { source: from.source, summary: copiedFrom(from), isDraft: from.isDraft },
        act,
      );
      return yield* showWorkflow(workflow);
    });
  },
});

const lifecycle = lifecycleOperations({
  noun: "workflow",
  permission: "edit",
  output: workflowShape,
  place: placeOfWorkflow,
  archiveSummary:
    "Archives a workflow: nobody starts it any more and its name is free; runs under way go on.",
  deleteSummary:
    "Deletes a workflow with its versions for good; refused while runs or tasks were made by it.",
  *find(given, caller) {
    return (yield* resolveStored(given, caller)).id;
  },
  *archive(id, act, expectedVersion) {
    return yield* showWorkflow(yield* archiveWorkflow(id, act, expectedVersion));
  },
  *restore(id, act, expectedVersion) {
    return yield* showWorkflow(yield* restoreWorkflow(id, act, expectedVersion));
  },
  remove: deleteWorkflow,
  *goesAlong(id) {
    return [{ what: "versions", count: yield* countOf("workflow_version", id) }];
  },
});

export const workflowChangeOperations: readonly Operation[] = [
  create,
  save,
  update,
  copy,
  ...lifecycle,
];

function copiedFrom({ name, stored, library }: OpenVersion): string {
  const version = stored === undefined ? "" : `, version ${stored.version}`;
  return `Copied from ${library?.ref ?? `"${name}"`}${version}.`;
}
