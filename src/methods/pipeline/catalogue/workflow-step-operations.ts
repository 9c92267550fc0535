/** Single steps: changed in the source, and made into tasks of their own. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import {
  becauseField,
  expectedVersionField,
  idField,
  jsonValue,
  projectField,
  titleField,
  userField,
} from "../../../kernel/operation/operation-fields.ts";
import { requireRight, requireSeeing } from "../../../kernel/operation/project-rights.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import {
  resolveOptional,
  resolveProject,
  resolveUser,
} from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { isEnded } from "../../../kernel/run/run-state.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { TASK_STATUSES } from "../../../kernel/store/noun-tables.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { getTask } from "../../../kernel/store/task-lists.ts";
import { insertTask } from "../../../kernel/store/tasks.ts";
import { getUser } from "../../../kernel/store/users.ts";
import type { WorkflowStep } from "../workflow/workflow-definition.ts";
import { findAssignees } from "./assignees.ts";
import { checkSource, refuseErrors, shownProblems } from "./check-source.ts";
import { editStep } from "./edit-step.ts";
import { pinWorkflow } from "./pin-workflow.ts";
import { callingFor, placeOfWorkflow, resolveOwnWorkflow } from "./resolve-workflow.ts";
import { showWorkflow } from "./shown-workflows.ts";
import { stepUnknown } from "./step-unknown.ts";
import { sourceOf } from "./workflow-of.ts";
import {
  draftField,
  savedShape,
  sourceField,
  stageField,
  summaryField,
  versionField,
  workflowField,
} from "./workflow-shape.ts";
import { catalogue } from "./workflow-tables.ts";
import { saveVersion } from "./workflow-versions.ts";
import { renderSaved } from "./workflow-view.ts";
import { getWorkflow } from "./workflows.ts";

const editedShape = savedShape.extend({
  savedVersion: savedShape.shape.savedVersion.optional(),
  source: z.string().describe("The whole source, changed only where the step stands."),
});

const editStepOperation = defineOperation({
  name: "workflow.edit-step",
  summary:
    "Changes one step of a workflow, its settings or its label, and saves that as a version.",
  effect: "writes",
  permission: "edit",
  projectScope: { workflowId: placeOfWorkflow },
  input: z.object({
    workflowId: workflowField,
    stageId: stageField,
    label: z.string().trim().min(1).max(500).optional().describe("What is drawn in the step."),
    set: z
      .record(z.string().min(1), jsonValue)
      .optional()
      .describe("Settings by name, such as prompt=…; null takes one away, the others stay."),
    source: sourceField
      .optional()
      .describe(
        "What is being edited, where it is not saved yet; the newest version unless given.",
      ),
    dryRun: z.boolean().default(false).describe("Only show what the source would become."),
    summary: summaryField.optional(),
    draft: draftField.default(false),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: editedShape,
  surfaces: {
    cli: {
      positionals: ["workflowId", "stageId"],
      examples: [
        'workflow edit-step "Our review" C --set concurrency=4',
        'workflow edit-step "Our review" F --label "Approve" --dry-run',
      ],
      render: rendering(editedShape, ({ savedVersion, source, ...saved }) =>
        savedVersion === undefined ? source : renderSaved("Saved", { ...saved, savedVersion }),
      ),
    },
    mcp: "full",
  },
  run: (context, { workflowId, stageId, label, set, dryRun, draft, ...input }) =>
    change(
      context,
      function* (act) {
        const workflow = yield* resolveOwnWorkflow(workflowId, callingFor(context));
        const { id, projectId, lastVersion } = workflow;
        const before = input.source ?? (yield* sourceOf({ workflowId: id, version: lastVersion }));
        const source = editStep(before, stageId, { label, set });
        const checked = yield* checkSource(source, callingFor(context, projectId));
        const problems = shownProblems(source, checked.problems);
        if (dryRun) {
          const shown = yield* showWorkflow(workflow);
          return { ...shown, isNew: false, isDraft: draft, problems, source };
        }
        refuseErrors(checked, draft);
        const summary = input.summary ?? `Step ${stageId}: ${whatChanged({ label, set })}.`;
        const next = { source, summary, isDraft: draft };
        const saved = yield* saveVersion(id, next, act, input.expectedVersion);
        return {
          ...(yield* showWorkflow(saved.workflow)),
          savedVersion: saved.version,
          isNew: saved.isNew,
          isDraft: draft,
          problems,
          source,
        };
      },
      input.because,
    ),
});

const stepTask = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(TASK_STATUSES),
  workflowId: z.string(),
  workflowVersion: z.number(),
  stage: z.string(),
  runId: z.string().optional(),
  parentId: z.string().optional(),
  projectId: z.string().optional(),
  assigneeId: z.string().optional(),
  version: z.number(),
  createdAt: z.number(),
});

const addTask = defineOperation({
  name: "workflow.add-task",
  summary:
    "Adds a task for one step of a workflow, done like any other of its tasks but by itself.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project", parent: "task", runId: "run" },
  input: z.object({
    workflowId: workflowField,
    stageId: stageField,
    workflowVersion: versionField.optional(),
    title: titleField.optional().describe("What is to be done; workflow and step unless given."),
    input: jsonValue.optional().describe("What the work starts from, as JSON."),
    parent: z.string().min(1).max(100).optional().describe("The task it is a part of."),
    runId: idField("run")
      .optional()
      .describe("A run that is over and that this follows up; one under way makes its own tasks."),
    project: projectField
      .optional()
      .describe("Where it belongs; as parent, run and workflow unless given."),
    assignee: userField.optional().describe("Who is to do it; whom the step names unless given."),
  }),
  output: stepTask,
  surfaces: {
    cli: {
      positionals: ["workflowId", "stageId"],
      examples: ['workflow add-task library:translation draft --input \'{"text":"Hallo"}\''],
      render: rendering(stepTask, ({ id, title }) =>
        doneLine(`Added task ${shortId(id)} "${title}".`),
      ),
    },
    mcp: "full",
  },
  run: (context, given) => {
    const { kernel, caller } = context;
    const id = kernel.ids.next();
    return change(context, function* (act) {
      const place = yield* placeOfTask(given, caller);
      const tools = { ...callingFor(context, place.projectId), nextId: () => kernel.ids.next() };
      const request = { workflow: given.workflowId, version: given.workflowVersion };
      const { ref, name, definition } = yield* pinWorkflow(request, tools, act);
      const step = workStep(definition.steps, given.stageId);
      const projectId = place.projectId ?? (yield* getWorkflow(ref.workflowId, caller)).projectId;
      yield* requireRight(caller, projectId, "edit");
      const task = yield* insertTask(
        {
          id,
          title: given.title ?? `${name}: ${step.name}`,
          ...place,
          ...ref,
          workflowVersion: ref.version,
          projectId,
          stage: step.id,
          input: given.input,
          assigneeId: yield* assigneeFor(step, given.assignee, projectId, caller),
        },
        act,
      );
      return {
        ...task,
        ...ref,
        workflowVersion: ref.version,
        stage: step.id,
        version: task.version,
      };
    });
  },
});

export const workflowStepOperations: readonly Operation[] = [editStepOperation, addTask];

function whatChanged({
  label,
  set = {},
}: {
  label?: string | undefined;
  set?: object | undefined;
}) {
  return [...(label === undefined ? [] : ["label"]), ...Object.keys(set)].join(", ") || "nothing";
}

function workStep(
  steps: readonly WorkflowStep[],
  stageId: string,
): Extract<WorkflowStep, { execution: unknown }> {
  const step = steps.find(({ id }) => id === stageId);
  if (step === undefined)
    throw stepUnknown(
      stageId,
      steps.map(({ id }) => id),
    );
  if ("execution" in step) return step;
  throw new ProductError(
    "step_makes_no_task",
    `"${step.name}" is a ${step.stepType}: nobody works on it.`,
    {
      kind: "conflict",
      hint: "Choose a step that somebody works on.",
    },
  );
}

interface TaskPlace {
  readonly parentId: string | undefined;
  readonly runId: string | undefined;
  readonly projectId: string | undefined;
}

function* placeOfTask(
  given: {
    readonly project?: string | undefined;
    readonly parent?: string | undefined;
    readonly runId?: string | undefined;
  },
  caller: Caller,
): DatabaseWork<TaskPlace> {
  const parentId = yield* resolveOptional(given.parent, (text) => resolveId("task", text, caller));
  const runId = yield* resolveOptional(given.runId, (text) => resolveId("run", text, caller));
  const ofRun = runId === undefined ? undefined : yield* endedRun(runId);
  const named = yield* resolveOptional(given.project, (text) => resolveProject(text, caller));
  const ofParent =
    parentId === undefined ? undefined : (yield* getTask(parentId, caller)).projectId;
  return { parentId, runId, projectId: named ?? ofParent ?? ofRun };
}

/** Its project. A live run that gets a task it knows nothing of would never end it. */
function* endedRun(runId: string): DatabaseWork<string | undefined> {
  const run = yield* queryFirst(
    catalogue.selectFrom("run").select(["state", "project_id"]).where("id", "=", runId),
  );
  if (run === undefined || isEnded(run.state)) return run?.project_id ?? undefined;
  throw new ProductError(
    "run_alive",
    `The run "${runId}" is ${run.state} and makes its own tasks.`,
    {
      kind: "conflict",
      hint: "Steer the run instead, or leave it out.",
    },
  );
}

function* assigneeFor(
  { defaultAssigneeId }: Extract<WorkflowStep, { execution: unknown }>,
  given: string | undefined,
  projectId: string | undefined,
  caller: Caller,
): DatabaseWork<string | undefined> {
  const userId =
    given === undefined
      ? defaultAssigneeId && (yield* findAssignees([defaultAssigneeId])).get(defaultAssigneeId)?.id
      : yield* resolveUser(given, caller);
  if (userId !== undefined && userId !== "")
    yield* requireSeeing(yield* getUser(userId), projectId);
  return userId;
}
