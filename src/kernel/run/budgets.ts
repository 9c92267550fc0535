/**
 * Budgets of a run, a project and a day. What a call may take at most is set aside on its exchange before it goes
 * out; together with what was spent, that must stay within every budget. Rows of budgets in force are locked while
 * calls are started, so workers cannot overrun one together. Where there is no budget, nothing is read or locked.
 */

import { type BudgetReason, type BudgetScope, NOTHING, reserveBudget } from "../model/budget.ts";
import { estimateTokens } from "../model/estimate-tokens.ts";
import { type DatabaseWork, runSql, writeRows, writeSql } from "../store/database-work.ts";
import { insertText, sqlOverRows, sqlText } from "../store/sql-text.ts";
import type { EngineTransaction } from "./engine-transaction.ts";
import type { PromptMessage, TurnPlan } from "./handler.ts";
import type { LimitReason } from "./limits.ts";
import type { RunDraft } from "./run-drafts.ts";

export const DAY_SCOPE = "day";
export const ALL_TIME = "all";

export function projectScope(projectId: string): string {
  return `project:${projectId}`;
}

const DAY_MS = 86_400_000;
let lastDay = { number: Number.NaN, name: "" };

/** Every transaction asks, and mostly on the same day. */
export function dayOf(now: number): string {
  const number = Math.floor(now / DAY_MS);
  if (number !== lastDay.number)
    lastDay = { number, name: new Date(now).toISOString().slice(0, 10) };
  return lastDay.name;
}

export interface Reservation {
  readonly microUsd: number;
  readonly tokens: number;
}

/** A call before it goes out. */
export interface PlannedCall {
  readonly plan: TurnPlan;
  readonly messages: readonly PromptMessage[];
}

export interface BudgetBook {
  /** Sets the call's most aside, or says which budget stands in the way. */
  reserve(
    run: Readonly<RunDraft>,
    call: PlannedCall,
    enlargements?: number,
  ): Reservation | LimitReason;
}

const UNLIMITED: BudgetBook = { reserve: () => ({ microUsd: 0, tokens: 0 }) };

export function* openBudgets(
  { now, costOf, lanes, spend }: EngineTransaction,
  runs: readonly Readonly<RunDraft>[],
): DatabaseWork<BudgetBook> {
  const isRunLimited = runs.some(
    ({ limits: own }) => own.costMicroUsd !== undefined || own.tokens !== undefined,
  );
  if (!lanes.hasBudgets && !isRunLimited) return UNLIMITED;
  const projects = runs.flatMap(({ projectId }) =>
    projectId === null ? [] : [projectScope(projectId)],
  );
  const scopes = [...new Set([DAY_SCOPE, ...projects])].map((scope) => ({ scope }));
  const limits = yield* runSql<BudgetRow>(LIST_BUDGETS, [JSON.stringify(scopes)]);
  if (limits.length === 0 && !isRunLimited) return UNLIMITED;

  const shared = yield* lockSpent(limits, now);
  // What this very transaction has settled is written at its end.
  for (const row of spend.rows()) addSpent(shared.get(row.scope), row);
  const reserved = yield* runSql<ReservedRow>(LIST_RESERVED, []);
  for (const row of reserved) {
    for (const name of [DAY_SCOPE, row.project_id === null ? "" : projectScope(row.project_id)])
      addReserved(shared.get(name), row);
  }
  const own = new Map(
    runs.map((run) => {
      const scope = runScope(run);
      for (const row of reserved) if (row.run_id === run.id) addReserved(scope, row);
      return [run.id, scope];
    }),
  );
  return {
    reserve(run, { plan, messages }, enlargements = 0) {
      const involved = [
        own.get(run.id),
        shared.get(DAY_SCOPE),
        shared.get(projectScope(run.projectId ?? "")),
      ];
      const inForce = involved.filter((scope) => scope !== undefined);
      const inputTokens = messages.reduce((sum, { text }) => sum + estimateTokens(text), 0);
      const maxOutputTokens = outputRoom(plan, enlargements);
      const answer = reserveBudget(inForce, {
        inputTokens,
        maxOutputTokens,
        microUsd: costOf(plan.model, { inputTokens, outputTokens: maxOutputTokens }),
        unknownPriceAllowed: run.limits.allowUnknownPrice === true,
      });
      if (answer.answer === "hold") return reasonOf(answer.reason);
      inForce.forEach((scope) => {
        scope.reserved = {
          microUsd: scope.reserved.microUsd + answer.reserved.microUsd,
          tokens: scope.reserved.tokens + answer.reserved.tokens,
          turns: scope.reserved.turns + 1,
        };
      });
      return { microUsd: answer.reserved.microUsd, tokens: answer.reserved.tokens };
    },
  };
}

const DEFAULT_OUTPUT_TOKENS = 8192;

/** How much a call may answer: each enlargement doubles it. */
export function outputRoom({ settings = {} }: TurnPlan, enlargements: number): number {
  return (settings.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS) * 2 ** enlargements;
}

/** What the calls settled in one transaction used, to be added to the days and projects at its end. */
export interface SpendBook {
  add(run: Readonly<RunDraft>, use: { readonly microUsd: number; readonly tokens: number }): void;
  rows(): readonly SpendRow[];
}

export function createSpendBook(now: number): SpendBook {
  const rows = new Map<string, SpendRow>();
  const day = dayOf(now);
  const addTo = (scope: string, period: string, use: { microUsd: number; tokens: number }) => {
    const key = `${scope} ${period}`;
    const row = rows.get(key) ?? { scope, period, micro_usd: 0, tokens: 0, turns: 0 };
    rows.set(key, {
      ...row,
      micro_usd: row.micro_usd + use.microUsd,
      tokens: row.tokens + use.tokens,
      turns: row.turns + 1,
    });
  };
  return {
    add(run, use) {
      addTo(DAY_SCOPE, day, use);
      if (run.projectId !== null) addTo(projectScope(run.projectId), ALL_TIME, use);
    },
    rows: () => [...rows.values()].toSorted((a, b) => (a.scope < b.scope ? -1 : 1)),
  };
}

export function* writeSpend(book: SpendBook): DatabaseWork<void> {
  const rows = book.rows();
  yield* writeRows(ADD_SPEND, rows);
}

/** Null lifts a limit; all null lifts the budget. */
export function* setBudget(
  scope: string,
  limits: {
    readonly microUsd: number | null;
    readonly tokens: number | null;
    readonly turns: number | null;
  },
): DatabaseWork<void> {
  yield* writeSql(SET_BUDGET, [scope, limits.microUsd, limits.tokens, limits.turns]);
}

interface MutableScope extends BudgetScope {
  spent: BudgetScope["spent"];
  reserved: BudgetScope["reserved"];
}

function runScope({
  limits,
  costMicroUsd,
  inputTokens,
  outputTokens,
  turns,
}: Readonly<RunDraft>): MutableScope {
  return {
    scope: "run",
    limits: {
      ...(limits.costMicroUsd === undefined ? {} : { microUsd: limits.costMicroUsd }),
      ...(limits.tokens === undefined ? {} : { tokens: limits.tokens }),
    },
    spent: { microUsd: costMicroUsd, tokens: inputTokens + outputTokens, turns },
    reserved: NOTHING,
  };
}

function* lockSpent(
  limits: readonly BudgetRow[],
  now: number,
): DatabaseWork<Map<string, MutableScope>> {
  const scopes = new Map<string, MutableScope>();
  if (limits.length === 0) return scopes;
  const wanted = limits.map(({ scope }) => ({
    scope,
    period: scope === DAY_SCOPE ? dayOf(now) : ALL_TIME,
  }));
  yield* writeSql(ENSURE_SPEND, [JSON.stringify(wanted)]);
  const spent = yield* runSql<SpendRow>(LOCK_SPEND, [JSON.stringify(wanted)]);
  for (const limit of limits) {
    const row = spent.find(({ scope }) => scope === limit.scope);
    scopes.set(limit.scope, {
      scope: limit.scope === DAY_SCOPE ? "day" : "project",
      limits: {
        ...(limit.micro_usd === null ? {} : { microUsd: limit.micro_usd }),
        ...(limit.tokens === null ? {} : { tokens: limit.tokens }),
        ...(limit.turns === null ? {} : { turns: limit.turns }),
      },
      spent: { microUsd: row?.micro_usd ?? 0, tokens: row?.tokens ?? 0, turns: row?.turns ?? 0 },
      reserved: NOTHING,
    });
  }
  return scopes;
}

function addSpent(scope: MutableScope | undefined, row: SpendRow): void {
  if (!scope) return;
  scope.spent = {
    microUsd: scope.spent.microUsd + row.micro_usd,
    tokens: scope.spent.tokens + row.tokens,
    turns: scope.spent.turns + row.turns,
  };
}

function addReserved(scope: MutableScope | undefined, row: ReservedRow): void {
  if (!scope) return;
  scope.reserved = {
    microUsd: scope.reserved.microUsd + row.micro_usd,
    tokens: scope.reserved.tokens + row.tokens,
    turns: scope.reserved.turns + row.turns,
  };
}

function reasonOf(reason: BudgetReason): LimitReason {
  return reason.code === "price_unknown"
    ? {
        code: "limit_cost_unknown",
        message: reason.message,
        hint: "Set the model's price in library/prices, lift the budget, or answer `raise` to let this run go on.",
      }
    : {
        code: reason.scope === "run" ? CODE_OF_RUN[reason.limit] : `limit_${reason.scope}_budget`,
        message: reason.message,
        atLeast: reason.allowed - reason.left + reason.needed,
        hint: "Raise the budget to go on, or cancel the run; nothing done so far is lost.",
      };
}

/** A run's own budget is one of its limits, and is raised as one. */
const CODE_OF_RUN = {
  microUsd: "limit_cost",
  tokens: "limit_tokens",
  turns: "limit_turns",
} as const;

interface BudgetRow {
  readonly scope: string;
  readonly micro_usd: number | null;
  readonly tokens: number | null;
  readonly turns: number | null;
}

interface SpendRow {
  readonly scope: string;
  readonly period: string;
  readonly micro_usd: number;
  readonly tokens: number;
  readonly turns: number;
}

interface ReservedRow {
  readonly run_id: string;
  readonly project_id: string | null;
  readonly micro_usd: number;
  readonly tokens: number;
  readonly turns: number;
}

const SPEND_COLUMNS = {
  scope: "text",
  period: "text",
  micro_usd: "int",
  tokens: "int",
  turns: "int",
} as const;
const LIST_BUDGETS = sqlOverRows(
  { scope: "text" },
  `select b.scope, b.micro_usd, b.tokens, b.turns from budget b where b.scope in (select scope from {rows})
     and (b.micro_usd is not null or b.tokens is not null or b.turns is not null) order by b.scope`,
);
const ENSURE_SPEND = sqlOverRows(
  { scope: "text", period: "text" },
  "insert into spend (scope, period) select scope, period from {rows} where true on conflict (scope, period) do nothing",
);
const SELECT_SPEND =
  "select s.scope, s.period, s.micro_usd, s.tokens, s.turns from spend s where (s.scope, s.period) in (select scope, period from {rows}) order by s.scope";
const LOCK_SPEND = {
  sqlite: sqlOverRows({ scope: "text", period: "text" }, SELECT_SPEND).sqlite,
  postgres: sqlOverRows({ scope: "text", period: "text" }, `${SELECT_SPEND} for no key update`)
    .postgres,
};
const LIST_RESERVED = sqlText(
  `select j.run_id, r.project_id, sum(e.reserved_micro_usd) as micro_usd, sum(e.reserved_tokens) as tokens, count(*) as turns
   from job j join exchange e on e.run_id = j.run_id and e.job_id = j.id join run r on r.id = j.run_id
   where j.state = 'leased' and not exists (select 1 from answer a where a.exchange_id = e.id)
   group by j.run_id, r.project_id`,
);
const ADD_SPEND = insertText(
  "spend",
  SPEND_COLUMNS,
  `on conflict (scope, period) do update set micro_usd = spend.micro_usd + excluded.micro_usd,
     tokens = spend.tokens + excluded.tokens, turns = spend.turns + excluded.turns`,
);
const SET_BUDGET = sqlText(
  `insert into budget (scope, micro_usd, tokens, turns) values (?, ?, ?, ?)
   on conflict (scope) do update set micro_usd = excluded.micro_usd, tokens = excluded.tokens, turns = excluded.turns`,
);
