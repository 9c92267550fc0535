/** Budgets of the day and of projects: what may be spent, and what was. Calls reserve before they go out. */

import { sql } from "kysely";
import { z } from "zod";
import { change } from "../../kernel/operation/change-work.ts";
import { projectNames } from "../../kernel/operation/names.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { asOfField, projectField } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { groupDigits, money, table } from "../../kernel/operation/terminal-text.ts";
import { ALL_TIME, DAY_SCOPE, dayOf, projectScope, setBudget } from "../../kernel/run/budgets.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { appendEvents, WORKSPACE_STREAM } from "../../kernel/store/events.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { seesProject, type Viewer } from "../../kernel/store/visibility.ts";
import { budgetDays } from "./budget-days-operation.ts";

const budgetShape = z.object({
  scope: z.enum(["day", "project"]),
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  period: z.string().describe("The day in universal time; `all` for a project."),
  limits: z.object({
    microUsd: z.number().nullable(),
    tokens: z.number().nullable(),
    turns: z.number().nullable(),
  }),
  spent: z.object({ microUsd: z.number(), tokens: z.number(), turns: z.number() }),
});

type ShownBudget = z.output<typeof budgetShape>;

const budgetList = z.object({ items: z.array(budgetShape), asOf: asOfField });

const show = defineOperation({
  name: "budget.show",
  summary: "Shows what may be spent and what was: today, and in each project you see.",
  effect: "reads",
  permission: "read",
  input: z.object({ project: projectField.optional().describe("Only of this project.") }),
  output: budgetList,
  surfaces: {
    cli: { words: ["budget"], render: rendering(budgetList, renderBudgets) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project }) =>
    kernel.store.read(function* () {
      const now = kernel.clock.now();
      const only = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      return { items: yield* listBudgets(caller, now, only), asOf: now };
    }),
});

const amountField = z.int().min(0).max(1_000_000_000_000).nullable().optional();

const set = defineOperation({
  name: "budget.set",
  summary:
    "Sets what may be spent in a day, or in a project over all time. Left out keeps, null lifts.",
  effect: "writes",
  permission: "administer",
  projectScope: { project: "project" },
  input: z.object({
    project: projectField.optional().describe("The project; the day's budget if left out."),
    usd: z
      .number()
      .min(0)
      .max(10_000_000)
      .nullable()
      .optional()
      .describe("Dollars; null lifts it."),
    tokens: amountField.describe("Tokens in and out; null lifts it."),
    turns: amountField.describe("Calls to models; null lifts it."),
  }),
  output: budgetShape,
  surfaces: {
    cli: {
      examples: ["budget set --usd 10", "budget set --project Tidepool --usd 50 --turns 2000"],
      render: rendering(budgetShape, (budget) =>
        doneLine(`${titleOf(budget)}: ${limitText(budget)}.`),
      ),
    },
    mcp: "none",
  },
  run: async (context, { project, usd, tokens, turns }) => {
    const budget = await change(context, function* ({ actor, now }) {
      const { caller } = context;
      const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      const [before] = yield* listBudgets(caller, now, projectId ?? "the day alone");
      const microUsd = typeof usd === "number" ? Math.round(usd * 1e6) : usd;
      const limits = {
        microUsd: microUsd === undefined ? (before?.limits.microUsd ?? null) : microUsd,
        tokens: tokens === undefined ? (before?.limits.tokens ?? null) : tokens,
        turns: turns === undefined ? (before?.limits.turns ?? null) : turns,
      };
      const scope = projectId === undefined ? DAY_SCOPE : projectScope(projectId);
      yield* setBudget(scope, limits);
      const event = { type: "budget.set", actor, data: { scope, ...limits } };
      const place = { stream: projectId ?? WORKSPACE_STREAM, projectId: projectId ?? null };
      yield* appendEvents([{ ...event, ...place }], now);
      const [after] = yield* listBudgets(caller, now, projectId ?? "the day alone");
      if (after === undefined) throw new TypeError("A budget was set and is not there.");
      return after;
    });
    context.kernel.wake();
    return budget;
  },
});

export const budgetOperations: readonly Operation[] = [show, budgetDays, set];

/** The day first, then projects with a budget or something spent; `only` names one project, or the day alone. */
export function* listBudgets(
  viewer: Viewer,
  now: number,
  only?: string,
): DatabaseWork<ShownBudget[]> {
  const day = dayOf(now);
  const projectIds = yield* listProjectIds(viewer, only);
  const places = [
    ...(only === undefined || only === "the day alone" ? [{ scope: DAY_SCOPE, period: day }] : []),
    ...projectIds.map((id) => ({ scope: projectScope(id), period: ALL_TIME, id })),
  ];
  const scopes = places.map(({ scope }) => scope);
  const limits = yield* query(
    db
      .selectFrom("budget")
      .selectAll()
      .where("scope", "in", [...scopes, ""]),
  );
  const spends = yield* query(
    db
      .selectFrom("spend")
      .selectAll()
      .where("scope", "in", [...scopes, ""]),
  );
  const names = yield* projectNames(projectIds);
  const shown = places.map((place): ShownBudget => {
    const limit = limits.find(({ scope }) => scope === place.scope);
    const spend = spends.find(
      ({ scope, period }) => scope === place.scope && period === place.period,
    );
    const id = "id" in place ? place.id : undefined;
    return {
      scope: id === undefined ? "day" : "project",
      projectId: id,
      projectName: id === undefined ? undefined : names.get(id),
      period: place.period,
      limits: {
        microUsd: limit?.micro_usd ?? null,
        tokens: limit?.tokens ?? null,
        turns: limit?.turns ?? null,
      },
      spent: {
        microUsd: spend?.micro_usd ?? 0,
        tokens: spend?.tokens ?? 0,
        turns: spend?.turns ?? 0,
      },
    };
  });
  return only === undefined
    ? shown.filter((budget) => budget.scope === "day" || isInUse(budget))
    : shown;
}

function* listProjectIds(viewer: Viewer, only: string | undefined): DatabaseWork<string[]> {
  if (only === "the day alone") return [];
  if (only !== undefined) return [only];
  const scope = sql<string>`${projectScope("")} || project.id`;
  const rows = yield* query(
    db
      .selectFrom("project")
      .select("project.id")
      .where("project.is_archived", "=", 0)
      .where(seesProject(viewer))
      .where((where) =>
        where.or([
          where.exists(db.selectFrom("budget").select("scope").where("scope", "=", scope)),
          where.exists(db.selectFrom("spend").select("scope").where("scope", "=", scope)),
        ]),
      )
      .orderBy("project.created_at"),
  );
  return rows.map(({ id }) => id);
}

function isInUse({ limits, spent }: ShownBudget): boolean {
  return Object.values(limits).some((limit) => limit !== null) || spent.turns > 0;
}

function renderBudgets({ items }: z.output<typeof budgetList>): string {
  const columns = [
    { title: "BUDGET", width: 40 },
    { title: "SPENT", align: "right" as const },
    { title: "OF", align: "right" as const },
    { title: "TOKENS", align: "right" as const },
    { title: "OF", align: "right" as const },
    { title: "TURNS", align: "right" as const },
    { title: "OF", align: "right" as const },
  ];
  const amount = (limit: number | null) => (limit === null ? "" : groupDigits(limit));
  const rows = items.map((budget) => [
    titleOf(budget),
    money(budget.spent.microUsd),
    budget.limits.microUsd === null ? "" : money(budget.limits.microUsd),
    groupDigits(budget.spent.tokens),
    amount(budget.limits.tokens),
    groupDigits(budget.spent.turns),
    amount(budget.limits.turns),
  ]);
  const isFree = items.every(({ limits }) =>
    Object.values(limits).every((limit) => limit === null),
  );
  const advice = isFree
    ? "\n\nNothing is limited. Set a day's budget with `budget set --usd 10`."
    : "";
  return table(columns, rows) + advice;
}

function titleOf({ scope, period, projectName, projectId }: ShownBudget): string {
  return scope === "day" ? `Today (${period})` : `Project ${projectName ?? projectId ?? ""}`;
}

function limitText({ limits: { microUsd, tokens, turns } }: ShownBudget): string {
  const parts = [
    microUsd === null ? "" : money(microUsd),
    tokens === null ? "" : `${groupDigits(tokens)} tokens`,
    turns === null ? "" : `${groupDigits(turns)} turns`,
  ];
  return parts.filter(Boolean).join(", ") || "no limit";
}
