/** A run of a workflow as a drawing, and two of them side by side. */

import { z } from "zod";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { idField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { compareRuns } from "./compare-runs.ts";
import { readRunGraph } from "./read-run-graph.ts";
import { RUN_FOLLOWED } from "./run-followed.ts";
import { comparisonShape, runGraphShape } from "./run-graph-shape.ts";
import { renderComparison, renderRunGraph } from "./run-graph-view.ts";

const graph = defineOperation({
  name: "step.graph",
  summary:
    "Shows a run of a workflow as its graph: which ways were gone, and when who was at work.",
  effect: "reads",
  permission: "read",
  projectScope: { runId: "run" },
  input: z.object({
    runId: idField("run"),
    pass: z.int().min(1).optional().describe("Of work that goes round; the newest unless given."),
  }),
  output: runGraphShape,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(runGraphShape, renderRunGraph),
      follow: RUN_FOLLOWED,
      examples: ["step graph 0199a1b2", "step graph 0199a1b2 --pass 1"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { runId, pass }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("run", runId, caller);
      return yield* readRunGraph(id, pass, kernel.clock.now());
    }),
});

const compare = defineOperation({
  name: "step.compare",
  summary: "Compares two runs of workflows step by step: ways, outputs, times, costs.",
  effect: "reads",
  permission: "read",
  projectScope: { runId: "run", otherRunId: "run" },
  input: z.object({ runId: idField("run"), otherRunId: idField("run") }),
  output: comparisonShape,
  surfaces: {
    cli: {
      positionals: ["runId", "otherRunId"],
      render: rendering(comparisonShape, renderComparison),
      examples: ["step compare 0199a1b2 0199b3c4"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { runId, otherRunId }) =>
    kernel.store.read(function* () {
      const one = yield* resolveId("run", runId, caller);
      const other = yield* resolveId("run", otherRunId, caller);
      return yield* compareRuns([one, other], kernel.clock.now());
    }),
});

export const runGraphOperations: readonly Operation[] = [graph, compare];
