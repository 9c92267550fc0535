/** Removing the sample in one command. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { change, rehearse } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { fieldLines, groupDigits } from "../../kernel/operation/terminal-text.ts";
import { type Cleared, clearSample, type SampleContribution } from "./clear-sample.ts";
import { findSample, type Sample } from "./seed-sample.ts";

const clearedShape = z.object({
  isDryRun: z.boolean(),
  cleared: z.array(z.object({ what: z.string(), count: z.number() })).readonly(),
});

export function sampleOperation(contributions: readonly SampleContribution[]): Operation {
  return defineOperation({
    name: "workspace.clear-sample",
    summary: "Removes the sample project with everything in it, also what was added to it since.",
    effect: "destroys",
    permission: "administer",
    input: z.object({
      dryRun: z.boolean().default(false).describe("Only show what would go."),
    }),
    output: clearedShape,
    surfaces: {
      cli: {
        examples: ["workspace clear-sample --dry-run", "workspace clear-sample --yes"],
        render: rendering(clearedShape, renderCleared),
      },
      mcp: "none",
    },
    run: async (context, { dryRun }) => {
      const { kernel } = context;
      const sample = await kernel.store.read(findSample);
      if (sample === undefined) throw noSample();
      let cleared: readonly Cleared[] = [];
      const work = function* (act: Parameters<typeof clearSample>[3]) {
        cleared = yield* clearSample(kernel.engine, sample satisfies Sample, contributions, act);
      };
      await (dryRun ? rehearse(context, work) : change(context, work));
      if (!dryRun) kernel.wake();
      return { isDryRun: dryRun, cleared };
    },
  });
}

function noSample(): ProductError {
  return new ProductError("sample_missing", "There is no sample here.", {
    kind: "not_found",
    hint: "It was cleared before, or this workspace was made without one.",
  });
}

function renderCleared({ isDryRun, cleared }: z.output<typeof clearedShape>): string {
  const lines = fieldLines(cleared.map(({ what, count }) => [what, groupDigits(count)]));
  return `${isDryRun ? "This would go:" : doneLine("The sample is gone:")}\n${lines}`;
}
