/** Looking at workflows: which there are, what one says, how it changed. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { nameOf, userNames } from "../../../kernel/operation/names.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import {
  archivedField,
  isArchivedFilter,
  orderField,
  pageFields,
  projectField,
} from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { checkSource, shownProblems } from "./check-source.ts";
import { readSource } from "./definition-cache.ts";
import { diffWorkflows, workflowDiff } from "./diff-workflows.ts";
import { listLibraryWorkflows } from "./library-workflows.ts";
import { openVersion } from "./open-version.ts";
import { callingFor, resolveOwnWorkflow } from "./resolve-workflow.ts";
import {
  showEdges,
  showLibraryWorkflow,
  showSteps,
  showWorkflow,
  showWorkflows,
} from "./shown-workflows.ts";
import { stepUnknown } from "./step-unknown.ts";
import { sourceOf } from "./workflow-of.ts";
import {
  checkShape,
  sourceField,
  stageField,
  stepDetail,
  versionField,
  versionList,
  workflowDetail,
  workflowField,
  workflowList,
} from "./workflow-shape.ts";
import { listVersions } from "./workflow-versions.ts";
import {
  renderCheck,
  renderDiff,
  renderStep,
  renderVersions,
  renderWorkflow,
  renderWorkflowList,
} from "./workflow-view.ts";
import { countOf, listWorkflows, type Workflow } from "./workflows.ts";

const list = defineOperation({
  name: "workflow.list",
  summary: "Lists workflows: the workspace's, those of projects you see, and those of the library.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    archived: archivedField,
    order: orderField,
    ...pageFields,
  }),
  output: workflowList,
  surfaces: {
    cli: {
      examples: ["workflow list", "workflow list --project Tidepool"],
      render: rendering(workflowList, renderWorkflowList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, archived, ...page }) =>
    kernel.store.read(function* () {
      const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      const isArchived = isArchivedFilter(archived);
      const { items, nextCursor } = yield* listWorkflows({
        ...page,
        viewer: caller,
        projectId,
        isArchived,
      });
      const hasLibrary = page.cursor === undefined && project === undefined && archived !== "only";
      return {
        items: yield* showWorkflows(items),
        nextCursor,
        library: hasLibrary ? listLibraryWorkflows(kernel.library).map(showLibraryWorkflow) : [],
        asOf: kernel.clock.now(),
      };
    }),
});

const aim = { workflowId: workflowField, workflowVersion: versionField.optional() };

const show = defineOperation({
  name: "workflow.show",
  summary: "Shows a workflow: its steps, where each leads, and what is wrong with it.",
  effect: "reads",
  permission: "read",
  input: z.object(aim),
  output: workflowDetail,
  surfaces: {
    cli: {
      positionals: ["workflowId"],
      examples: [
        "workflow show library:pr-review",
        'workflow show "Our review" --workflow-version 3',
      ],
      render: rendering(workflowDetail, renderWorkflow),
    },
    mcp: "full",
  },
  run: (context, { workflowId, workflowVersion }) =>
    context.kernel.store.read(function* () {
      const opened = yield* openVersion(workflowId, workflowVersion, callingFor(context));
      const { name, description, source, isDraft, stored, library } = opened;
      const calling = callingFor(context, stored?.workflow.projectId);
      const { definition, problems } = yield* checkSource(source, calling);
      const names = yield* userNames([stored?.workflow.createdBy]);
      return {
        name,
        description,
        workflow: stored && (yield* showWorkflow(stored.workflow)),
        library: library && showLibraryWorkflow(library),
        shownVersion: stored?.version,
        isDraft,
        source,
        direction: definition.direction,
        inputSchema: definition.inputSchema,
        steps: showSteps(definition),
        edges: showEdges(definition),
        problems: shownProblems(source, problems),
        createdByName: nameOf(names, stored?.workflow.createdBy),
        runs: stored === undefined ? 0 : yield* countOf("workflow_run", stored.workflow.id),
        asOf: context.kernel.clock.now(),
      };
    }),
});

const step = defineOperation({
  name: "workflow.step",
  summary: "Shows one step of a workflow by its id in the diagram.",
  effect: "reads",
  permission: "read",
  input: z.object({
    workflowId: workflowField,
    stageId: stageField,
    workflowVersion: aim.workflowVersion,
  }),
  output: stepDetail,
  surfaces: {
    cli: {
      positionals: ["workflowId", "stageId"],
      examples: ["workflow step library:pr-review C"],
      render: rendering(stepDetail, renderStep),
    },
    mcp: "full",
  },
  run: (context, { workflowId, stageId, workflowVersion }) =>
    context.kernel.store.read(function* () {
      const opened = yield* openVersion(workflowId, workflowVersion, callingFor(context));
      const { definition } = readSource(opened.source);
      const steps = showSteps(definition);
      const found = steps.find(({ id }) => id === stageId);
      if (found === undefined)
        throw stepUnknown(
          stageId,
          steps.map(({ id }) => id),
        );
      const edges = showEdges(definition);
      return {
        workflowId: opened.stored?.workflow.id,
        workflowVersion: opened.stored?.version,
        step: found,
        comesFrom: edges.filter(({ target }) => target === stageId),
        leadsTo: edges.filter(({ source }) => source === stageId),
      };
    }),
});

const versions = defineOperation({
  name: "workflow.versions",
  summary: "Lists the versions of a workflow, newest first.",
  effect: "reads",
  permission: "read",
  input: z.object({ workflowId: workflowField, ...pageFields }),
  output: versionList,
  surfaces: {
    cli: { positionals: ["workflowId"], render: rendering(versionList, renderVersions) },
    mcp: "full",
  },
  run: (context, { workflowId, limit, cursor }) =>
    context.kernel.store.read(function* () {
      const { id, name, currentVersion } = yield* resolveOwnWorkflow(
        workflowId,
        callingFor(context),
      );
      const before = cursor === undefined ? undefined : versionCursor(cursor);
      const found = yield* listVersions(id, { limit: limit + 1, before });
      const shown = found.slice(0, limit);
      const names = yield* userNames(shown.map(({ createdBy }) => createdBy));
      return {
        workflowId: id,
        name,
        currentVersion,
        items: shown.map((version) => ({
          ...version,
          isCurrent: version.version === currentVersion,
          createdByName: nameOf(names, version.createdBy),
        })),
        nextCursor: found.length > limit ? String(shown.at(-1)?.version) : undefined,
        asOf: context.kernel.clock.now(),
      };
    }),
});

const diff = defineOperation({
  name: "workflow.diff",
  summary: "Shows what changed between two versions: step by step, and line by line.",
  effect: "reads",
  permission: "read",
  input: z.object({
    workflowId: workflowField,
    from: versionField.optional().describe("The older one; the one before `to` unless given."),
    to: versionField.optional().describe("The newer one; the newest unless given."),
  }),
  output: workflowDiff,
  surfaces: {
    cli: {
      positionals: ["workflowId", "from", "to"],
      examples: ['workflow diff "Our review"', 'workflow diff "Our review" 2 5'],
      render: rendering(workflowDiff, renderDiff),
    },
    mcp: "full",
  },
  run: (context, { workflowId, from, to }) =>
    context.kernel.store.read(function* () {
      const workflow = yield* resolveOwnWorkflow(workflowId, callingFor(context));
      const { newer, older } = pairOf(workflow, from, to);
      const before = yield* sourceOf({ workflowId: workflow.id, version: older });
      const after = yield* sourceOf({ workflowId: workflow.id, version: newer });
      return {
        workflowId: workflow.id,
        name: workflow.name,
        from: older,
        to: newer,
        ...diffWorkflows(before, after),
      };
    }),
});

const check = defineOperation({
  name: "workflow.check",
  summary: "Checks a workflow, or a source before it is saved: what is wrong, and where.",
  effect: "reads",
  permission: "read",
  input: z.object({
    workflowId: workflowField.optional().describe("A workflow; or give a source instead."),
    workflowVersion: aim.workflowVersion,
    source: sourceField.optional(),
    project: projectField
      .optional()
      .describe("Where the source would go: names mean what is there."),
  }),
  output: checkShape,
  surfaces: {
    cli: {
      positionals: ["workflowId"],
      stdin: "source",
      examples: ["workflow check < release-notes.mmd", "workflow check library:pr-review"],
      render: rendering(checkShape, renderCheck),
      outcome: (output) => (checkShape.parse(output).isValid ? "ok" : "check_failed"),
    },
    mcp: "full",
  },
  run: (context, { workflowId, workflowVersion, source, project }) =>
    context.kernel.store.read(function* () {
      const { caller } = context;
      const given = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      const opened =
        workflowId === undefined
          ? undefined
          : yield* openVersion(workflowId, workflowVersion, callingFor(context, given));
      const text = source ?? opened?.source;
      if (text === undefined || (source !== undefined && opened !== undefined)) throw oneOfBoth();
      const calling = callingFor(context, given ?? opened?.stored?.workflow.projectId);
      const { definition, problems } = yield* checkSource(text, calling);
      const errors = problems.filter(({ severity }) => severity === "error").length;
      return {
        name: opened?.name ?? definition.name,
        isValid: errors === 0,
        steps: definition.steps.length,
        edges: definition.edges.length,
        errors,
        warnings: problems.length - errors,
        problems: shownProblems(text, problems),
      };
    }),
});

export const workflowReadOperations: readonly Operation[] = [
  list,
  show,
  step,
  versions,
  diff,
  check,
];

function pairOf(
  { name, lastVersion }: Workflow,
  from: number | undefined,
  to: number | undefined,
): { readonly older: number; readonly newer: number } {
  const newer = to ?? lastVersion;
  const older = from ?? newer - 1;
  if (older >= 1) return { older, newer };
  throw new ProductError("workflow_one_version", `"${name}" has nothing before version ${newer}.`, {
    kind: "conflict",
    hint: "`workflow versions` lists what there is.",
  });
}

function versionCursor(cursor: string): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new ProductError("cursor_invalid", `"${cursor}" is not a place in this list.`, {
    hint: "Leave it out to read from the beginning, or use the cursor the last page came with.",
  });
}

function oneOfBoth(): ProductError {
  return new ProductError("check_needs_one", "Name a workflow, or give a source: one of them.", {
    hint: "`workflow check < FILE` or `workflow check NAME`.",
  });
}
