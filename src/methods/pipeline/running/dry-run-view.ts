/** A dry run on a terminal: the way, then each prompt under the step that would send it. */

import { z } from "zod";
import { jsonValue } from "../../../kernel/operation/operation-fields.ts";
import { runMark, taskMark } from "../../../kernel/operation/state-marks.ts";
import {
  blocks,
  indent,
  manyLines,
  oneLine,
  section,
} from "../../../kernel/operation/terminal-text.ts";
import type { RunState } from "../../../kernel/store/engine-tables.ts";
import type { TaskStatus } from "../../../kernel/store/noun-tables.ts";

export const dryRunShape = z.object({
  runId: z.string(),
  state: z.string(),
  reason: z.string().optional(),
  instructions: z.string().optional().describe("What every prompt begins with."),
  visits: z.array(
    z.object({
      step: z.string(),
      title: z.string(),
      status: z.string(),
      item: z.number().optional(),
      prompt: z
        .string()
        .optional()
        .describe("As it was compiled, without the shared instructions."),
      output: jsonValue,
      problem: z.string().optional(),
    }),
  ),
  result: jsonValue,
});

export function renderDryRun({
  state,
  reason,
  instructions,
  visits,
  result,
}: z.output<typeof dryRunShape>): string {
  const way = visits
    .map(({ step, item }) => (item === undefined ? step : `${step}[${item + 1}]`))
    .join(" → ");
  return blocks(
    `${runMark(state as RunState)}  ${oneLine(way)}`,
    reason === undefined ? undefined : oneLine(reason),
    section(
      "Every agent is told",
      instructions === undefined ? undefined : indent(manyLines(instructions)),
    ),
    ...visits.map(({ step, title, status, prompt, output, problem }) =>
      section(
        `${taskMark(status as TaskStatus)}  ${step}  ${oneLine(title)}`,
        blocks(
          problem === undefined ? undefined : oneLine(problem),
          prompt === undefined ? undefined : indent(manyLines(prompt)),
          output === null ? undefined : `⇒ ${oneLine(JSON.stringify(output))}`,
        ),
      ),
    ),
    section("Result", manyLines(JSON.stringify(result, null, 2))),
  );
}
