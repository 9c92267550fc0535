/** Which dialectics there are, and where they stand. */

import { z } from "zod";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { asOfField, projectField } from "../../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortIds } from "../../../kernel/operation/short-ids.ts";
import { runMark } from "../../../kernel/operation/state-marks.ts";
import { table } from "../../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../../kernel/operation/terminal-time.ts";
import { query } from "../../../kernel/store/database-work.ts";
import type { RunState } from "../../../kernel/store/engine-tables.ts";
import { seesRun } from "../../../kernel/store/visibility.ts";
import { dialectic } from "../running/dialectic-tables.ts";
import { SESSION_FOLLOWED } from "./session-followed.ts";
import { resolveSession, sessionField } from "./session-ref.ts";
import { statusOf, statusShape } from "./session-status.ts";
import { renderStatus } from "./status-view.ts";

const status = defineOperation({
  name: "dialectic.status",
  summary: "Shows where a dialectic stands: stages, documents, slots, tokens and cost.",
  effect: "reads",
  permission: "read",
  input: z.object({
    session: sessionField,
    runId: z.string().max(100).optional().describe("The same, as followers name it."),
  }),
  output: statusShape,
  surfaces: {
    cli: {
      positionals: ["session"],
      render: rendering(statusShape, renderStatus),
      follow: SESSION_FOLLOWED,
      examples: ["dialectic status", "dialectic status 0199a1b2 --follow"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { session, runId }) =>
    kernel.store.read(function* () {
      const found = yield* resolveSession(session ?? runId, caller);
      const status = yield* statusOf(found, kernel.clock.now());
      return yield* withoutRedactedPassages(status, found.projectId ?? undefined);
    }),
});

const listed = z.object({
  items: z.array(
    z.object({
      runId: z.string(),
      title: z.string(),
      domain: z.string(),
      stage: z.string(),
      iteration: z.int(),
      status: z.string(),
      state: z.string(),
      slots: z.array(z.string()),
      turns: z.int(),
      costMicroUsd: z.int(),
      hasUnknownCost: z.boolean(),
      createdAt: z.number(),
    }),
  ),
  asOf: asOfField,
});

const list = defineOperation({
  name: "dialectic.list",
  summary: "Lists dialectics, the newest first.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    limit: z.int().min(1).max(200).default(50).describe("How many at most."),
  }),
  output: listed,
  surfaces: {
    cli: {
      render: rendering(listed, ({ items, asOf }) => {
        const short = shortIds(items.map(({ runId }) => runId));
        return items.length === 0
          ? 'None yet. Begin one with `dialectic start "What you want"`.'
          : table(
              [
                { title: "ID" },
                { title: "STATE" },
                { title: "STAGE" },
                { title: "TITLE", width: 50 },
                { title: "SLOTS", align: "right" },
                { title: "BEGUN" },
              ],
              items.map((each) => [
                short(each.runId),
                runMark(each.state as RunState),
                each.stage,
                each.title,
                String(each.slots.length),
                timeAgo(each.createdAt, asOf),
              ]),
            );
      }),
      examples: ["dialectic list"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, limit }) =>
    kernel.store.read(function* () {
      const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      let select = dialectic
        .selectFrom("run")
        .innerJoin("dialectic_session as s", "s.run_id", "run.id")
        .select(["run.id", "run.title", "run.state", "run.created_at"])
        .select(["run.turns", "run.cost_micro_usd", "run.has_unknown_cost"])
        .select(["s.domain", "s.stage", "s.iteration", "s.status", "s.slots"])
        .where(seesRun(caller))
        .where("run.is_archived", "=", 0)
        .orderBy("run.id", "desc")
        .limit(limit);
      if (projectId !== undefined) select = select.where("run.project_id", "=", projectId);
      const rows = yield* query(select);
      const readable = yield* withoutRedactedPassages(rows, projectId);
      return {
        items: readable.map(
          ({ id, created_at, slots, cost_micro_usd, has_unknown_cost, ...rest }) => ({
            runId: id,
            costMicroUsd: cost_micro_usd,
            hasUnknownCost: has_unknown_cost === 1,
            createdAt: created_at,
            slots: JSON.parse(slots) as string[],
            ...rest,
          }),
        ),
        asOf: kernel.clock.now(),
      };
    }),
});

export const sessionOperations: readonly Operation[] = [list, status];
