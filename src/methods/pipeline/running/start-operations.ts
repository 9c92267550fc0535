/** Starting runs of workflows, in earnest or dry. */

import { z } from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import {
  defineOperation,
  type Operation,
  type OperationContext,
} from "../../../kernel/operation/operation.ts";
import { projectField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { waitForRun } from "../../../kernel/operation/wait-for-run.ts";
import { callingFor, placeOfWorkflow } from "../catalogue/resolve-workflow.ts";
import { versionField, workflowField } from "../catalogue/workflow-shape.ts";
import { REHEARSAL_MODEL } from "./begin-job.ts";
import { missingInput } from "../workflow/missing-input.ts";
import { dryRunOf } from "./dry-run.ts";
import { dryRunShape, missingInputLines, renderDryRun } from "./dry-run-view.ts";
import { inputFields, readInput } from "./read-input.ts";
import { loadRun } from "./run-context.ts";
import { RUN_FOLLOWED } from "./run-followed.ts";
import { startWorkflow } from "./start-workflow.ts";

const startFields = {
  workflow: workflowField,
  version: versionField.optional().describe("The current one unless given."),
  ...inputFields,
  project: projectField
    .optional()
    .describe("Where it runs; the workflow's own project unless given."),
};

const startedShape = z.object({
  runId: z.string(),
  workflow: z.string(),
  missingInput: z
    .array(z.string())
    .describe("What its steps read of the input that the input does not have."),
});

const run = defineOperation({
  name: "workflow.run",
  summary: "Starts a run of a workflow.",
  effect: "writes",
  permission: "run",
  projectScope: { project: "project", workflow: placeOfWorkflow },
  input: z.object({
    ...startFields,
    model: z
      .string()
      .optional()
      .describe("For steps whose agent names none; the workspace's default unless given."),
  }),
  output: startedShape,
  surfaces: {
    cli: {
      positionals: ["workflow"],
      stdin: "input",
      render: rendering(startedShape, ({ runId, workflow, missingInput: names }) => {
        const started = `Started "${workflow}" as ${shortId(runId)}. \`step list ${shortId(runId)} --follow\` shows it live.`;
        return [doneLine(started), ...missingInputLines(names)].join("\n");
      }),
      follow: RUN_FOLLOWED,
      examples: [
        'workflow run "PR review" --set prNumber=7 --follow',
        "workflow run library:pr-review --input '{\"prNumber\": 7}'",
      ],
    },
    mcp: "core",
  },
  run: async (context, { model, ...given }) => {
    const { models } = context.kernel;
    const chosen = model ?? (await models.defaultModel());
    // Unknown models are refused here, before anything is written.
    await models.find(chosen);
    const started = await start(context, given, { model: chosen, isDry: false });
    return { ...started, workflow: given.workflow };
  },
});

const dryRun = defineOperation({
  name: "workflow.dry-run",
  summary:
    "Walks a workflow with the rehearsal model, asking no one: shows every prompt and the path taken.",
  effect: "writes",
  permission: "run",
  projectScope: { project: "project", workflow: placeOfWorkflow },
  input: z.object(startFields),
  output: dryRunShape,
  surfaces: {
    cli: {
      positionals: ["workflow"],
      stdin: "input",
      render: rendering(dryRunShape, renderDryRun),
      examples: ['workflow dry-run "PR review" --set prNumber=7'],
    },
    mcp: "full",
  },
  run: async (context, given): Promise<z.output<typeof dryRunShape>> => {
    const { kernel, signal, report } = context;
    const { runId, missingInput: names } = await start(context, given, {
      model: REHEARSAL_MODEL,
      isDry: true,
    });
    report({ message: "Walking the workflow…" });
    await waitForRun(kernel, runId, signal);
    const shown = await kernel.store.read(() => dryRunOf(runId));
    return { ...shown, missingInput: [...names] };
  },
});

async function start(
  context: OperationContext,
  given: {
    readonly workflow: string;
    readonly version?: number | undefined;
    readonly input?: Json | undefined;
    readonly set?: readonly string[] | undefined;
    readonly project?: string | undefined;
  },
  how: { readonly model: string; readonly isDry: boolean },
): Promise<{ readonly runId: string; readonly missingInput: string[] }> {
  const { kernel, caller } = context;
  const input = readInput(given);
  const started = await change(context, function* (act) {
    const wanted = yield* resolveOptional(given.project, (text) => resolveProject(text, caller));
    const own = (yield* placeOfWorkflow(given.workflow, caller)).projectId ?? undefined;
    const calling = callingFor(context, wanted ?? own);
    const runId = yield* startWorkflow(
      kernel.engine,
      { workflow: given.workflow, version: given.version, input, ...how },
      calling,
      act,
    );
    const { definition } = yield* loadRun(runId);
    return { runId, missingInput: [...missingInput(definition, input)] };
  });
  kernel.wake();
  return started;
}

export const startOperations: readonly Operation[] = [run, dryRun];
