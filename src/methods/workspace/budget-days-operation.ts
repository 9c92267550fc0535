/** What was spent day by day, as far back as a chart is worth looking at. */

import { z } from "zod";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { asOfField } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { groupDigits, money, table } from "../../kernel/operation/terminal-text.ts";
import { DAY_SCOPE, dayOf } from "../../kernel/run/budgets.ts";
import { query } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";

const DAY_MS = 24 * 60 * 60_000;

const spentDays = z.object({
  items: z
    .array(
      z.object({
        day: z.string().describe("In universal time."),
        microUsd: z.number(),
        tokens: z.number(),
        turns: z.number(),
      }),
    )
    .describe("Oldest first, without gaps; the last one is today."),
  asOf: asOfField,
});

export const budgetDays: Operation = defineOperation({
  name: "budget.days",
  summary: "Shows what was spent on each of the last days.",
  effect: "reads",
  permission: "read",
  input: z.object({
    days: z.int().min(1).max(366).default(14).describe("How many, up to today."),
  }),
  output: spentDays,
  surfaces: {
    cli: {
      examples: ["budget days --days 30"],
      render: rendering(spentDays, ({ items }) =>
        table(
          [
            { title: "DAY" },
            { title: "SPENT", align: "right" },
            { title: "TOKENS", align: "right" },
            { title: "TURNS", align: "right" },
          ],
          items.map(({ day, microUsd, tokens, turns }) => [
            day,
            money(microUsd),
            groupDigits(tokens),
            groupDigits(turns),
          ]),
        ),
      ),
    },
    mcp: "none",
  },
  run: ({ kernel }, { days }) =>
    kernel.store.read(function* () {
      const now = kernel.clock.now();
      const wanted = Array.from({ length: days }, (_, n) => dayOf(now - (days - 1 - n) * DAY_MS));
      const rows = yield* query(
        db
          .selectFrom("spend")
          .selectAll()
          .where("scope", "=", DAY_SCOPE)
          .where("period", "in", wanted),
      );
      const spent = new Map(rows.map((row) => [row.period, row]));
      const items = wanted.map((day) => {
        const row = spent.get(day);
        return {
          day,
          microUsd: row?.micro_usd ?? 0,
          tokens: row?.tokens ?? 0,
          turns: row?.turns ?? 0,
        };
      });
      return { items, asOf: now };
    }),
});
