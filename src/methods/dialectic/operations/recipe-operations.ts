/** The recipes themselves: what they say, and whether they add up. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { checkMark } from "../../../kernel/operation/state-marks.ts";
import { blocks, count, indent } from "../../../kernel/operation/terminal-text.ts";
import { countAllTurns } from "../planning/topology.ts";
import { compileDomain } from "../recipe/compile-domain.ts";
import { describeDomain } from "../recipe/describe-domain.ts";
import { getDomain } from "../recipe/pinned-domain.ts";
import { listDomains } from "../recipe/read-domain.ts";
import { sayProblem } from "../recipe/recipe-problem.ts";
import { contractOf } from "../running/turn-handler.ts";

const domainName = z.string().regex(/^[a-z][a-z0-9_]*$/);

const describedShape = z.object({ domain: z.string(), markdown: z.string() });

const describe = defineOperation({
  name: "dialectic.describe",
  summary: "Documents every stage of a domain: sources, recipe, steps, inputs, outputs, JSON.",
  effect: "reads",
  permission: "read",
  input: z.object({
    domain: domainName.default("software").describe("The domain."),
    stage: z.string().max(80).optional().describe("Only this stage."),
  }),
  output: describedShape,
  surfaces: {
    cli: {
      positionals: ["domain"],
      render: rendering(describedShape, ({ markdown }) => markdown),
      examples: ["dialectic describe software --stage thesis"],
    },
    mcp: "full",
  },
  run: async ({ kernel }, { domain: key, stage }) => {
    const domain = getDomain(kernel.library, key);
    if (stage !== undefined && !domain.stages.some((each) => each.key === stage)) {
      throw new ProductError("stage_unknown", `"${key}" has no stage "${stage}".`, {
        kind: "not_found",
        hint: `Stages are ${domain.stages.map((each) => each.key).join(", ")}.`,
      });
    }
    return { domain: key, markdown: describeDomain(domain, contractOf, stage) };
  },
});

const checkedShape = z.object({
  domains: z.array(
    z.object({
      domain: z.string(),
      title: z.string(),
      stages: z.int(),
      steps: z.int(),
      /** Calls of a full pass with 1, 2 and 3 slots. */
      calls: z.array(z.int()),
      problems: z.array(
        z.object({
          code: z.string(),
          path: z.string(),
          line: z.int(),
          column: z.int(),
          message: z.string(),
          hint: z.string().optional(),
        }),
      ),
    }),
  ),
});

const check = defineOperation({
  name: "dialectic.check",
  summary:
    "Checks the recipes of a domain, or of all: what does not add up is told with its place.",
  effect: "reads",
  permission: "read",
  input: z.object({ domain: domainName.optional().describe("Only this domain.") }),
  output: checkedShape,
  surfaces: {
    cli: {
      positionals: ["domain"],
      render: rendering(checkedShape, renderChecked),
      outcome: (output) =>
        checkedShape.parse(output).domains.every(({ problems }) => problems.length === 0)
          ? "ok"
          : "check_failed",
      examples: ["dialectic check", "dialectic check software"],
    },
    mcp: "full",
  },
  run: async ({ kernel }, { domain: only }) => {
    const keys = only === undefined ? listDomains(kernel.library).map(({ key }) => key) : [only];
    return {
      domains: keys.map((key) => {
        const { domain, problems } = compileDomain(kernel.library, key);
        return {
          domain: key,
          title: domain?.title ?? key,
          stages: domain?.stages.length ?? 0,
          steps: domain?.stages.reduce((sum, { steps }) => sum + steps.length, 0) ?? 0,
          calls:
            domain === undefined ? [] : [1, 2, 3].map((slots) => countAllTurns(domain, { slots })),
          problems: [...problems],
        };
      }),
    };
  },
});

function renderChecked({ domains }: z.output<typeof checkedShape>): string {
  return blocks(
    ...domains.map(({ domain, title, stages, steps, calls, problems }) =>
      problems.length === 0
        ? `${checkMark("ok")} ${domain} (${title}): ${count(stages, "stage")}, ${count(steps, "step")}; ${calls.join(" / ")} calls with 1 / 2 / 3 slots.`
        : [
            `${checkMark("bad")} ${domain}: ${count(problems.length, "problem")}`,
            ...problems.map((problem) =>
              indent(
                `${sayProblem(problem)}${problem.hint === undefined ? "" : `\n  ${problem.hint}`}`,
              ),
            ),
          ].join("\n"),
    ),
  );
}

export const recipeOperations: readonly Operation[] = [describe, check];
