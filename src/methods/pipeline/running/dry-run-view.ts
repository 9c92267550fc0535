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
      unknownPaths: z
        .array(z.string())
        .describe("What nothing filled; it stays visible as written."),
    }),
  ),
  missingInput: z
    .array(z.string())
    .describe("What its steps read of the input that the input does not have."),
  result: jsonValue,
});

/** Told at once: the prompts will show it as it is written. */
export function missingInputLines(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const flags = names.map((name) => `--set ${name}=…`).join(" ");
  return [`! The input has no ${names.join(", ")}, which its steps read: ${flags}`];
}

export function renderDryRun({
  state,
  reason,
  instructions,
  visits,
  missingInput,
  result,
}: z.output<typeof dryRunShape>): string {
  const way = visits
    .map(({ step, item }) => (item === undefined ? step : `${step}[${item + 1}]`))
    .join(" → ");
  return blocks(
    `${runMark(state as RunState)}  ${oneLine(way)}`,
    reason === undefined ? undefined : oneLine(reason),
    missingInputLines(missingInput).join("\n"),
    section(
      "Every agent is told",
      instructions === undefined ? undefined : indent(manyLines(instructions)),
    ),
    ...visits.map(({ step, title, status, prompt, output, problem, unknownPaths }) =>
      section(
        `${taskMark(status as TaskStatus)}  ${step}  ${oneLine(title)}`,
        blocks(
          problem === undefined ? undefined : oneLine(problem),
          unknownPaths.length === 0 ? undefined : `! Nothing filled ${unknownPaths.join(", ")}.`,
          prompt === undefined ? undefined : indent(manyLines(prompt)),
          output === null ? undefined : `⇒ ${oneLine(JSON.stringify(output))}`,
        ),
      ),
    ),
    section("Result", manyLines(JSON.stringify(result, null, 2))),
  );
}
