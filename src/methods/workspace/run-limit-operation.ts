/** Setting anew how far a run may go, while it runs or before it goes on. */

import { sql } from "kysely";
import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { JsonObject } from "../../kernel/base/json.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { spanInput, spanMs } from "../../kernel/operation/moment-text.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { idField } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { type RunLimits, runLimitsSchema } from "../../kernel/run/limits.ts";
import { isEnded } from "../../kernel/run/run-state.ts";
import { execute } from "../../kernel/store/database-work.ts";
import { appendEvents } from "../../kernel/store/events.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { getRun } from "./run-rows.ts";
import { runShape } from "./run-shape.ts";

const amount = z.int().min(1).max(1_000_000_000);

export const limitRun: Operation = defineOperation({
  name: "run.limit",
  summary: "Sets a run's limits anew; a run that a limit stopped goes on with `run resume`.",
  effect: "writes",
  permission: "run",
  projectScope: { runId: "run" },
  input: z.object({
    runId: idField("run"),
    turns: amount.optional().describe("How many calls to models."),
    jobs: amount.optional().describe("How many jobs."),
    tokens: amount.nullable().optional().describe("How many tokens in and out; null lifts it."),
    usd: z
      .number()
      .min(0)
      .max(1_000_000)
      .nullable()
      .optional()
      .describe("How many dollars; null lifts it."),
    time: spanInput.nullable().optional().describe("How long from its start (2h); null lifts it."),
    allowUnknownPrice: z
      .boolean()
      .optional()
      .describe("Let it use models of unknown price although there is a money budget."),
  }),
  output: runShape,
  surfaces: {
    cli: {
      positionals: ["runId"],
      examples: ["run limit 0199a1b2-c3d4 --usd 5 --turns 500"],
      render: rendering(runShape, ({ id, title }) =>
        doneLine(`Run ${shortId(id)} "${title}" has new limits.`),
      ),
    },
    mcp: "none",
  },
  run: (context, { runId, usd, time, ...rest }) =>
    change(context, function* ({ actor, now }) {
      const { caller } = context;
      const run = yield* getRun(yield* resolveId("run", runId, caller), caller);
      if (isEnded(run.state)) throw runEnded(run.state);
      const limits = withChanges(run.limits, {
        ...rest,
        costMicroUsd: typeof usd === "number" ? Math.round(usd * 1e6) : usd,
        wallMs: typeof time === "string" ? spanMs(time) : time,
      });
      yield* execute(
        db
          .updateTable("run")
          .set({ limits: JSON.stringify(limits), version: sql<number>`version + 1` })
          .where("id", "=", run.id),
      );
      const data = JSON.parse(JSON.stringify(limits)) as JsonObject;
      const event = { stream: run.id, type: "run.limited", actor, data };
      yield* appendEvents([{ ...event, projectId: run.projectId ?? null }], now);
      return yield* getRun(run.id, caller);
    }),
});

type LimitChanges = { readonly [Name in keyof RunLimits]?: RunLimits[Name] | null | undefined };

/** Undefined keeps a limit, null lifts it. */
function withChanges(limits: RunLimits, changes: LimitChanges): RunLimits {
  const kept: Record<string, unknown> = { ...limits };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete kept[name];
    else if (value !== undefined) kept[name] = value;
  }
  return runLimitsSchema.parse(kept);
}

function runEnded(state: string): ProductError {
  return new ProductError("run_ended", `The run is ${state}; it has no limits any more.`, {
    kind: "conflict",
  });
}
