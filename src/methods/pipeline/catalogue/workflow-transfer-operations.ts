/** Workflows on their way to other workspaces and back, with the agents they name. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { isAllowed } from "../../../kernel/operation/authorise.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import { jsonValue, projectField } from "../../../kernel/operation/operation-fields.ts";
import { requireRight } from "../../../kernel/operation/project-rights.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import {
  type ExportedAgent,
  exportWorkflow,
  type ImportedWorkflow,
  importWorkflow,
} from "../workflow/workflow-export.ts";
import { assigneesOf, findAssignees } from "./assignees.ts";
import {
  type CheckedSource,
  checkSource,
  refuseErrors,
  requireName,
  shownProblems,
} from "./check-source.ts";
import { readSource } from "./definition-cache.ts";
import { importAgents, importedAgentShape } from "./import-agents.ts";
import { openVersion } from "./open-version.ts";
import { callingFor } from "./resolve-workflow.ts";
import { showWorkflow } from "./shown-workflows.ts";
import {
  draftField,
  nameField,
  savedShape,
  versionField,
  workflowField,
} from "./workflow-shape.ts";
import { insertWorkflow, type SavedVersion, saveVersion } from "./workflow-versions.ts";
import { renderImported } from "./workflow-view.ts";
import { listNamed } from "./workflows.ts";

const exportShape = z.object({
  workflow: z.object({
    name: z.string(),
    description: z.string().optional(),
    mermaidSource: z.string(),
    steps: z.array(jsonValue),
  }),
  agents: z.array(
    z.object({
      id: z.string(),
      displayName: z.string(),
      agentPrompt: z.string().optional(),
      model: z.string().optional(),
    }),
  ),
  exportVersion: z.string(),
  exportedAt: z.string(),
});

const exportOperation = defineOperation({
  name: "workflow.export",
  summary: "Writes a workflow and the agents it names as one JSON document.",
  effect: "reads",
  permission: "read",
  input: z.object({ workflowId: workflowField, workflowVersion: versionField.optional() }),
  output: exportShape,
  surfaces: {
    cli: {
      positionals: ["workflowId"],
      examples: ["workflow export library:pr-review > pr-review.json"],
      render: (output) => JSON.stringify(output, null, 2),
    },
    mcp: "full",
  },
  run: (context, { workflowId, workflowVersion }) =>
    context.kernel.store.read(function* () {
      const opened = yield* openVersion(workflowId, workflowVersion, callingFor(context));
      const { name, description, source } = opened;
      const exportedAt = new Date(context.kernel.clock.now()).toISOString();
      const agents = yield* agentsNamed(source);
      const document = exportWorkflow({ name, description, source, agents, exportedAt });
      const { workflow } = document;
      return {
        ...document,
        agents: [...agents],
        workflow: { ...workflow, steps: [...workflow.steps] },
      };
    }),
});

export const importedShape = savedShape.extend({ agents: z.array(importedAgentShape) });

const importOperation = defineOperation({
  name: "workflow.import",
  summary:
    "Brings an exported workflow in, with its agents: those unknown here are made, the others stay.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({
    document: jsonValue.describe("The export, format 2.0: JSON, or its text."),
    name: nameField.optional().describe("What it is called here; as in the export unless given."),
    project: projectField.optional().describe("Where it goes; the workspace unless given."),
    asVersion: z
      .boolean()
      .default(false)
      .describe("Where a workflow of that name is there, make this its next version."),
    agents: z
      .enum(["create", "skip"])
      .default("create")
      .describe("Whether agents that are unknown here are made."),
    draft: draftField.default(false),
  }),
  output: importedShape,
  surfaces: {
    cli: {
      positionals: ["document"],
      stdin: "document",
      examples: ["workflow import @pr-review.json", "workflow import < pr-review.json"],
      render: rendering(importedShape, renderImported),
    },
    mcp: "full",
  },
  run: async (context, input) => {
    const { kernel, caller } = context;
    const text =
      typeof input.document === "string" ? input.document : JSON.stringify(input.document);
    const imported = importWorkflow(text);
    const name = requireName(input.name ?? imported.name);
    const models = await knownModels(kernel, imported.agents);
    return change(context, function* (act) {
      const projectId = yield* resolveOptional(input.project, (given) =>
        resolveProject(given, caller),
      );
      const agents = yield* importAgents(
        imported.agents,
        {
          // Agents act for people; who else works here is for people to say.
          isAllowed: input.agents === "create" && !caller.isAgent && isAllowed(caller, "edit"),
          nextId: () => kernel.ids.next(),
          models,
        },
        act,
      );
      const checked = yield* checkSource(imported.source, callingFor(context, projectId));
      const isDraft = input.draft || lacksOnlyAgents(checked);
      refuseErrors(checked, isDraft);
      const place = { name, projectId, isDraft, asVersion: input.asVersion };
      const saved = yield* saveImported(context, imported, place, act);
      return {
        ...(yield* showWorkflow(saved.workflow)),
        savedVersion: saved.version,
        isNew: saved.isNew,
        isDraft,
        problems: shownProblems(imported.source, [...imported.problems, ...checked.problems]),
        agents,
      };
    });
  },
});

export const workflowTransferOperations: readonly Operation[] = [exportOperation, importOperation];

function* agentsNamed(source: string): DatabaseWork<readonly ExportedAgent[]> {
  const found = yield* findAssignees(assigneesOf(readSource(source).definition));
  return [...found]
    .filter(([, { isAgent }]) => isAgent)
    .map(([id, { displayName, agentPrompt, model }]) => ({
      id,
      displayName,
      ...(agentPrompt === undefined ? {} : { agentPrompt }),
      ...(model === undefined ? {} : { model }),
    }));
}

async function knownModels(
  { models }: Kernel,
  agents: readonly ExportedAgent[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const model of new Set(agents.map((agent) => agent.model))) {
    if (model === undefined) continue;
    try {
      await models.find(model);
      known.add(model);
    } catch (error) {
      if (!(error instanceof ProductError)) throw error;
    }
  }
  return known;
}

/** It is brought in all the same and waits as a draft until somebody is there to do the work. */
function lacksOnlyAgents({ problems }: CheckedSource): boolean {
  const errors = problems.filter(({ severity }) => severity === "error");
  return errors.length > 0 && errors.every(({ code }) => code === "unknown_agent");
}

interface ImportPlace {
  readonly name: string;
  readonly projectId: string | undefined;
  readonly isDraft: boolean;
  readonly asVersion: boolean;
}

function* saveImported(
  { kernel, caller }: OperationContext,
  imported: ImportedWorkflow,
  { name, projectId, isDraft, asVersion }: ImportPlace,
  act: Act,
): DatabaseWork<SavedVersion> {
  const next = { source: imported.source, summary: "Imported.", isDraft };
  const named = asVersion ? yield* listNamed(name, { viewer: caller, projectId }) : [];
  const standing = named.find((workflow) => workflow.projectId === projectId);
  if (standing !== undefined) {
    yield* requireRight(caller, standing.projectId, "edit");
    return yield* saveVersion(standing.id, next, act);
  }
  const words = { name, description: imported.description ?? "" };
  const workflow = yield* insertWorkflow({ id: kernel.ids.next(), projectId, ...words }, next, act);
  return { workflow, version: 1, isNew: true };
}
