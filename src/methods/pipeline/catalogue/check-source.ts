/** What is wrong with a source, as far as it can be told here: also whom and what it names that is not there. */

import type { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { pointAt } from "../../../kernel/base/text-position.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { type CheckedWorkflow, checkWorkflow } from "../workflow/check-workflow.ts";
import type { KnownNames } from "../workflow/validate-workflow.ts";
import type { WorkflowDefinition } from "../workflow/workflow-definition.ts";
import { hasErrors, type WorkflowProblem } from "../workflow/workflow-problem.ts";
import { assigneesOf, findAssignees } from "./assignees.ts";
import { readSource } from "./definition-cache.ts";
import { type Calling, resolveWorkflow } from "./resolve-workflow.ts";
import type { problemShape } from "./workflow-shape.ts";

export interface CheckedSource extends CheckedWorkflow {
  readonly source: string;
}

export function* checkSource(source: string, calling: Calling): DatabaseWork<CheckedSource> {
  const read = readSource(source);
  const { definition } = read;
  if (!namesOthers(definition)) return { source, ...read };
  const known: KnownNames = {
    agentIds: yield* activeAssignees(definition),
    workflows: yield* knownSubflows(definition, calling),
  };
  return { source, ...checkWorkflow(source, known) };
}

export function requireName(name: string | undefined): string {
  if (name !== undefined) return name;
  throw new ProductError("workflow_nameless", "The workflow has no name.", {
    hint: 'Give one, or write it into the source: %% workflow: { "name": "…" }.',
  });
}

/** A draft is kept whatever it says. */
export function refuseErrors({ source, problems }: CheckedSource, isDraft: boolean): void {
  if (isDraft || !hasErrors(problems)) return;
  const errors = problems.filter(({ severity }) => severity === "error");
  const lines = errors.map((problem) => `${placeOf(problem)}${problem.message}`);
  throw new ProductError("workflow_invalid", `It cannot run as it is.\n${lines.join("\n")}`, {
    hint: "Put these right, or keep it as a draft for now with `--draft`.",
    details: { problems: shownProblems(source, errors) },
  });
}

export function shownProblems(
  source: string,
  problems: readonly WorkflowProblem[],
): z.output<typeof problemShape>[] {
  return problems.map(({ position, meant, ...problem }) => ({
    ...problem,
    ...(position === undefined
      ? {}
      : {
          line: position.line,
          column: position.column,
          excerpt: pointAt(source, position.offset),
          ...fixFor(source, position.offset, meant),
        }),
  }));
}

/** Between the place of a problem and what is written wrong there may stand brackets and blanks, no more. */
const FARTHEST = 12;

function fixFor(
  source: string,
  offset: number,
  meant: WorkflowProblem["meant"],
): Pick<z.output<typeof problemShape>, "fix"> {
  if (meant === undefined) return {};
  const start = source.indexOf(meant.from, offset);
  if (start < 0 || start - offset > FARTHEST) return {};
  const end = start + meant.from.length;
  return { fix: { label: `Use ${meant.to.replaceAll('"', "")}`, start, end, text: meant.to } };
}

function namesOthers(definition: WorkflowDefinition): boolean {
  const { steps } = definition;
  return assigneesOf(definition).length > 0 || steps.some(({ stepType }) => stepType === "subflow");
}

/** As they are written. Whoever is not active any more can be given nothing to do. */
function* activeAssignees(definition: WorkflowDefinition): DatabaseWork<ReadonlySet<string>> {
  const found = yield* findAssignees(assigneesOf(definition));
  return new Set([...found].filter(([, { isActive }]) => isActive).map(([given]) => given));
}

function* knownSubflows(
  { steps }: WorkflowDefinition,
  calling: Calling,
): DatabaseWork<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const step of steps) {
    if (step.stepType !== "subflow" || known.has(step.subflowId)) continue;
    if (yield* isKnown(step.subflowId, calling)) known.add(step.subflowId);
  }
  return known;
}

/** A name that several workflows have says no more than one that none has. */
function* isKnown(subflowId: string, calling: Calling): DatabaseWork<boolean> {
  try {
    yield* resolveWorkflow(subflowId, calling);
    return true;
  } catch (error) {
    if (error instanceof ProductError) return false;
    throw error;
  }
}

function placeOf({ position }: WorkflowProblem): string {
  return position === undefined ? "" : `${position.line}:${position.column} `;
}
