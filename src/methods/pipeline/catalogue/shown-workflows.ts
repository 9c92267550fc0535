/** Workflows as they are shown: with the names of projects, and the origin of each. */

import type { z } from "zod";
import { nameOf, projectNames } from "../../../kernel/operation/names.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { exportStep } from "../workflow/exported-step.ts";
import type { WorkflowDefinition, WorkflowEdge } from "../workflow/workflow-definition.ts";
import { type LibraryWorkflow, libraryRef } from "./library-workflows.ts";
import {
  type edgeShape,
  type libraryWorkflowShape,
  stepShape,
  type workflowShape,
} from "./workflow-shape.ts";
import type { Workflow } from "./workflows.ts";

export type ShownWorkflow = z.output<typeof workflowShape>;

export function* showWorkflows(workflows: readonly Workflow[]): DatabaseWork<ShownWorkflow[]> {
  const projects = yield* projectNames(workflows.map(({ projectId }) => projectId));
  return workflows.map((workflow) => toShown(workflow, nameOf(projects, workflow.projectId)));
}

export function* showWorkflow(workflow: Workflow): DatabaseWork<ShownWorkflow> {
  const names = yield* projectNames([workflow.projectId]);
  return toShown(workflow, nameOf(names, workflow.projectId));
}

export function showLibraryWorkflow(
  workflow: LibraryWorkflow,
): z.output<typeof libraryWorkflowShape> {
  const { ref, name, description, file, definition, problems } = workflow;
  return {
    ref,
    name,
    description,
    path: file.path,
    layer: file.layer,
    overrides: file.overrides,
    steps: definition.steps.length,
    errors: problems.filter(({ severity }) => severity === "error").length,
  };
}

type ShownStep = z.output<typeof stepShape>;

/** Under the names that settings have; what is only a default is left out. */
export function showSteps({ steps }: WorkflowDefinition): ShownStep[] {
  return steps.map((step) => stepShape.parse(exportStep(step)));
}

export function showEdges({ edges }: WorkflowDefinition): z.output<typeof edgeShape>[] {
  return edges.map(({ source, target, when }) => ({ source, target, when: conditionOf(when) }));
}

/** Undefined where the way is always taken. */
export function conditionOf(when: WorkflowEdge["when"]): string | undefined {
  if (when === "always") return undefined;
  return when === "default" ? "default" : when.text;
}

function toShown(
  { libraryPath, ...workflow }: Workflow,
  projectName: string | undefined,
): ShownWorkflow {
  const isOfLibrary = libraryPath !== undefined;
  return {
    ...workflow,
    origin: isOfLibrary ? "library" : workflow.projectId === undefined ? "workspace" : "project",
    libraryRef: isOfLibrary ? libraryRef(libraryPath) : undefined,
    projectName,
  };
}
