/** `doctor`: everything that can be checked about a workspace, what is wrong and what to do. */

import { z } from "zod";
import { describeError } from "../../kernel/base/errors.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { asOfField } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { checkMark } from "../../kernel/operation/state-marks.ts";
import { blocks, count, indent } from "../../kernel/operation/terminal-text.ts";
import type { Migration } from "../../kernel/store/migrate.ts";
import type { CheckResult, DoctorCheck, ProgramFinder } from "./doctor-check.ts";
import { ownChecks } from "./doctor-checks.ts";

const resultShape = z.object({
  group: z.string(),
  name: z.string(),
  state: z
    .enum(["ok", "absent", "warn", "bad"])
    .describe("`absent`: not here, and fine to be without."),
  message: z.string(),
  hint: z.string().optional().describe("What to do about it."),
});

const report = z.object({
  checks: z.array(resultShape),
  bad: z.number(),
  warnings: z.number(),
  asOf: asOfField,
});

export function doctorOperation(options: {
  readonly migrations: readonly Migration[];
  readonly programs: ProgramFinder;
  readonly more: readonly DoctorCheck[];
}): Operation {
  const { migrations, programs, more } = options;
  return defineOperation({
    name: "workspace.doctor",
    summary:
      "Checks the workspace: every row, text and event chain, room, backups, work, models, library, programs.",
    effect: "reads",
    permission: "administer",
    input: z.object({
      quick: z.boolean().default(false).describe("Leave out reading the whole store."),
    }),
    output: report,
    surfaces: {
      cli: {
        words: ["doctor"],
        examples: ["doctor", "doctor --quick --json"],
        render: rendering(report, renderReport),
        outcome: (output) => (report.parse(output).bad > 0 ? "check_failed" : "ok"),
      },
      mcp: "none",
    },
    run: async ({ kernel, report: tell, signal }, { quick }) => {
      const checks: z.input<typeof resultShape>[] = [];
      const all = [...ownChecks({ migrations, programs, isQuick: quick }), ...more];
      for (const [done, check] of all.entries()) {
        signal.throwIfAborted();
        const say = (message: string) => tell({ message, done, total: all.length });
        say(check.group);
        const results = await guarded(check, () => check.run(kernel, say));
        checks.push(...results.map((result) => ({ group: check.group, ...result })));
      }
      const of = (state: CheckResult["state"]) => checks.filter((each) => each.state === state);
      return {
        checks,
        bad: of("bad").length,
        warnings: of("warn").length,
        asOf: kernel.clock.now(),
      };
    },
  });
}

/** A check that fails is itself a finding; the others still run. */
async function guarded(
  { group }: DoctorCheck,
  run: () => Promise<readonly CheckResult[]>,
): Promise<readonly CheckResult[]> {
  try {
    return await run();
  } catch (error) {
    const { code, message, hint } = describeError(error);
    return [{ name: code, state: "bad", message: `Checking ${group} failed: ${message}`, hint }];
  }
}

function renderReport({ checks, bad, warnings }: z.output<typeof report>): string {
  const groups = [...new Set(checks.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const lines = checks
      .filter((check) => check.group === group)
      .map(({ state, name, message, hint }) => {
        const head = `${checkMark(state)} ${name}: ${message}`;
        return state === "ok" || hint === undefined
          ? head
          : `${head}\n${indent(`→ ${hint}`, "    ")}`;
      });
    return `${group}\n${indent(lines.join("\n"))}`;
  });
  return blocks(...sections, summary(bad, warnings));
}

function summary(bad: number, warnings: number): string {
  if (bad + warnings === 0) return "All is well.";
  const parts = [
    bad === 0 ? "" : `${count(bad, "thing")} wrong`,
    warnings === 0 ? "" : `${count(warnings, "thing")} to look at`,
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}
