/** Starting an agent's task by hand; left alone, the running server takes it up by itself. */

import { z } from "zod";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { idField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { oneLine } from "../../../kernel/operation/terminal-text.ts";
import { RUN_FOLLOWED } from "../running/run-followed.ts";

const startedShape = z.object({
  runId: z.string(),
  taskId: z.string(),
  title: z.string(),
  agentName: z.string(),
});

const run = defineOperation({
  name: "task.run",
  summary: "Has an agent do a task now, as a run of its own.",
  effect: "writes",
  permission: "run",
  projectScope: { taskId: "task" },
  input: z.object({
    taskId: idField("task"),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("`provider/model`; the agent's own unless given, else the workspace's default."),
  }),
  output: startedShape,
  surfaces: {
    cli: {
      positionals: ["taskId"],
      render: rendering(startedShape, ({ runId, title, agentName }) =>
        doneLine(
          `${oneLine(agentName)} works on "${oneLine(title)}" as run ${shortId(runId)}. \`step list ${shortId(runId)} --follow\` shows it live.`,
        ),
      ),
      follow: RUN_FOLLOWED,
      examples: ["task run 0199a1b2", "task run 0199a1b2 --follow"],
    },
    mcp: "full",
  },
  // Loaded where it is needed: whoever only lists tasks need not wait for what workflows are made of.
  run: async (context, input) => (await import("./run-task.ts")).runTask(context, input),
});

export const taskRunOperations: readonly Operation[] = [run];
