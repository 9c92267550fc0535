/** How much pruning would let go of, without doing it. */

import { type Expression, type SqlBool, sql } from "kysely";
import { z } from "zod";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import type { Migration } from "../../kernel/store/migrate.ts";
import { countMethodTexts } from "../../kernel/store/prune-method-texts.ts";
import type { Pruned } from "../../kernel/store/prune.ts";
import { db } from "../../kernel/store/query-builder.ts";

export const prunedShape = z.object({
  events: z.number(),
  prompts: z.number(),
  replies: z.number(),
  jobs: z.number(),
  effects: z.number().describe("Copies of what was answered, made when it was applied."),
  deltas: z.number(),
  artifacts: z.number(),
  methodTexts: z.number().describe("What methods keep in tables of their own."),
  sharedTexts: z.number().describe("Counted only when it is done."),
  bytes: z.number(),
});

export function* countPrunable(
  before: number,
  artifacts: "none" | "superseded" | "all",
  migrations: readonly Migration[],
): DatabaseWork<Pruned> {
  const isOldRun = (column: string) => sql<SqlBool>`${sql.ref(column)} in (select id from run
    where state in ('completed','failed','cancelled') and finished_at < ${before})`;
  const events = yield* measure("event", ["data"], sql`at < ${before} and data is not null`);
  const prompts = yield* measure(
    "exchange",
    ["messages", "trace"],
    sql`${isOldRun("run_id")} and messages <> '[]'`,
  );
  const replies = yield* measure(
    "answer",
    ["reply", "reading"],
    sql`${isOldRun("run_id")} and reply is not null`,
  );
  const jobs = yield* measure(
    "job",
    ["input", "progress"],
    sql`${isOldRun("run_id")} and (input <> 'null' or progress is not null)`,
  );
  const effects = yield* measure("effect", ["data"], sql`${isOldRun("run_id")} and data <> 'null'`);
  const deltas = yield* measure(
    "delta",
    ["body"],
    sql`exchange_id in (select id from exchange where ${isOldRun("run_id")})`,
  );
  const superseded = artifacts === "all" ? sql`1 = 1` : sql`state = 'superseded'`;
  const outputs =
    artifacts === "none"
      ? NOTHING
      : yield* measure(
          "artifact",
          ["body"],
          sql`created_at < ${before} and body is not null and ${superseded}`,
        );
  const ofMethods = yield* countMethodTexts({ migrations, before, outputs: artifacts });
  const all = [events, prompts, replies, jobs, effects, deltas, outputs, ofMethods];
  return {
    events: events.rows,
    prompts: prompts.rows,
    replies: replies.rows,
    jobs: jobs.rows,
    effects: effects.rows,
    deltas: deltas.rows,
    artifacts: outputs.rows,
    methodTexts: ofMethods.rows,
    sharedTexts: 0,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

interface Measured {
  readonly rows: number;
  readonly bytes: number;
}

const NOTHING: Measured = { rows: 0, bytes: 0 };

function* measure(
  table: "event" | "exchange" | "answer" | "job" | "effect" | "delta" | "artifact",
  columns: readonly string[],
  condition: Expression<unknown>,
): DatabaseWork<Measured> {
  const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
  const [row] = yield* query(
    db
      .selectFrom(table as "event")
      .select([
        sql<number>`count(*)`.as("rows"),
        sql<number>`coalesce(sum(${sql.join(sizes, sql` + `)}), 0)`.as("bytes"),
      ])
      .where(sql<SqlBool>`${condition}`),
  );
  return row ?? NOTHING;
}
