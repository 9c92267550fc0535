/**
 * A workflow on its way to another place, in the seed's format 2.0: its source, the steps read out
 * of it for convenience, and the agents it names. The source is what counts when it arrives.
 */

import * as z from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { canonicalJson } from "../../../kernel/base/json.ts";
import { parseJson } from "../../../kernel/base/safe-json.ts";
import { type ExportedStep, exportStep } from "./exported-step.ts";
import { readWorkflow } from "./read-workflow.ts";
import { stepConfigSchema } from "./step-config.ts";
import type { WorkflowDefinition } from "./workflow-definition.ts";
import { andMore, type WorkflowProblem } from "./workflow-problem.ts";

export const EXPORT_VERSION = "2.0";

export interface ExportedAgent {
  readonly id: string;
  readonly displayName: string;
  readonly agentPrompt?: string | undefined;
  readonly model?: string | undefined;
}

export interface WorkflowExport {
  readonly workflow: {
    readonly name: string;
    readonly description?: string;
    readonly mermaidSource: string;
    readonly steps: readonly ExportedStep[];
  };
  readonly agents: readonly ExportedAgent[];
  readonly exportVersion: typeof EXPORT_VERSION;
  /** ISO 8601. */
  readonly exportedAt: string;
}

export function exportWorkflow(workflow: {
  readonly name: string;
  readonly description?: string | undefined;
  readonly source: string;
  readonly agents: readonly ExportedAgent[];
  readonly exportedAt: string;
}): WorkflowExport {
  const { name, description, source, agents, exportedAt } = workflow;
  const { definition } = readWorkflow(source);
  return {
    workflow: {
      name,
      ...(description === undefined ? {} : { description }),
      mermaidSource: source,
      steps: definition.steps.map(exportStep),
    },
    agents,
    exportVersion: EXPORT_VERSION,
    exportedAt,
  };
}

export interface ImportedWorkflow {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly source: string;
  readonly agents: readonly ExportedAgent[];
  /** What the file says in two ways, and what it leaves out; warnings all. */
  readonly problems: readonly WorkflowProblem[];
}

const agentSchema = z.object({
  id: z.string().trim().min(1),
  displayName: z.string().trim().min(1).optional(),
  agentPrompt: z.string().nullish(),
  model: z.string().nullish(),
});

const exportSchema = z.object({
  workflow: z.object({
    name: z.string().trim().min(1).optional(),
    description: z.string().nullish(),
    mermaidSource: z.string().min(1),
    steps: z.array(z.looseObject({ id: z.string() })).nullish(),
  }),
  agents: z.array(agentSchema).nullish(),
  exportVersion: z.union([z.string(), z.number()]).nullish(),
});

/** Tolerant of what is missing, except for the source itself. */
export function importWorkflow(text: string): ImportedWorkflow {
  const read = exportSchema.safeParse(parseJson(text));
  if (!read.success) throw notAnExport(read.error.issues[0]);
  const { workflow, agents, exportVersion } = read.data;
  if (exportVersion != null && String(Number(exportVersion)) !== "2")
    throw otherVersion(exportVersion);
  const { definition } = readWorkflow(workflow.mermaidSource);
  return {
    name: workflow.name ?? definition.name,
    description: workflow.description ?? definition.description,
    source: workflow.mermaidSource,
    agents: (agents ?? []).map(({ id, displayName, agentPrompt, model }) => ({
      id,
      displayName: displayName ?? id,
      ...(agentPrompt == null ? {} : { agentPrompt }),
      ...(model == null ? {} : { model }),
    })),
    problems: [
      ...(exportVersion == null ? [versionMissing()] : []),
      ...disagreements(definition, workflow.steps ?? []),
    ],
  };
}

type ListedStep = Readonly<Record<string, unknown>> & { readonly id: string };

function disagreements(
  definition: WorkflowDefinition,
  listed: readonly ListedStep[],
): WorkflowProblem[] {
  if (listed.length === 0) return [];
  const drawn = new Map(definition.steps.map((step) => [step.id, step]));
  const named = new Set(listed.map(({ id }) => id));
  const problems = listed.flatMap((step): WorkflowProblem[] => {
    const { id } = step;
    const found = drawn.get(id);
    if (found === undefined)
      return [doubt(`The list of steps has "${id}", the diagram has not.`, id)];
    const different = differences(step, exportStep(found));
    if (different.length === 0) return [];
    const keys = `"${different[0]}"${andMore(different.length)}`;
    return [
      doubt(`The list of steps and the diagram say different things about ${keys} of "${id}".`, id),
    ];
  });
  const missing = definition.steps.filter(({ id }) => !named.has(id));
  return [
    ...problems,
    ...missing.map(({ id }) => doubt(`The diagram has "${id}", the list of steps has not.`, id)),
  ];
}

/** Keys that the list gives another value than the drawing; what it leaves out is no difference. */
function differences(listed: ListedStep, drawn: ExportedStep): string[] {
  return Object.keys(listed).filter((key) => {
    const value = listed[key];
    const isSaid = value != null && value !== "" && Object.hasOwn(stepConfigSchema.shape, key);
    return isSaid && key !== "type" && canonicalJson(value) !== canonicalJson(drawn[key]);
  });
}

function doubt(message: string, stepId: string): WorkflowProblem {
  return {
    code: "export_disagrees",
    severity: "warning",
    message: `${message} The diagram counts.`,
    stepId,
  };
}

function versionMissing(): WorkflowProblem {
  return {
    code: "export_version_missing",
    severity: "warning",
    message: `The file does not say its version and was read as ${EXPORT_VERSION}.`,
  };
}

function otherVersion(version: string | number): ProductError {
  return new ProductError(
    "export_version_unknown",
    `Exports of version ${version} are not known here.`,
    {
      hint: `Export the workflow again as version ${EXPORT_VERSION}.`,
      details: { version, known: EXPORT_VERSION },
    },
  );
}

function notAnExport(issue: z.core.$ZodIssue | undefined): ProductError {
  const place = issue?.path.join(".") ?? "";
  const what = place === "" ? "The file" : `"${place}"`;
  return new ProductError(
    "export_invalid",
    `This is no export of a workflow: ${what} is missing or of the wrong kind.`,
    {
      hint: "It needs a workflow with its mermaidSource; steps and agents may be missing.",
      details: { path: place },
    },
  );
}
