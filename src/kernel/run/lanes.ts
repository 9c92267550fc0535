/**
 * Lanes limit how many jobs run at once and how fast they start. Limited lanes are rows that stay locked from the
 * claim to the commit, so a limit holds over all workers; a lane without limits costs nothing.
 */

import {
  type DatabaseWork,
  type SqlStatement,
  writeRows,
  writeSql,
} from "../store/database-work.ts";
import { insertText, sqlForRows, sqlText } from "../store/sql-text.ts";

export interface Lane {
  readonly name: string;
  readonly maxRunning: number | null;
  running: number;
  readonly ratePerMinute: number | null;
  readonly burst: number | null;
  tokens: number;
  refilledAt: number;
}

export interface LaneLimit {
  readonly maxRunning: number | null;
  readonly ratePerMinute: number | null;
  readonly burst: number | null;
}

/** All lanes as this transaction sees and changes them. */
export interface LaneBook {
  readonly lanes: Map<string, Lane>;
  readonly changed: Set<Lane>;
  /** Lanes nobody has used before. */
  readonly added: Set<string>;
  /** Whether any budget is set; asked along with the lanes, because almost always none is. */
  readonly hasBudgets: boolean;
}

/** Locks the limited ones. Send it before anything else is locked. */
export function listLanesStatement(): SqlStatement {
  return { kind: "sql", sql: LIST_LANES, parameters: [] };
}

export function openLaneBook(rows: readonly LaneRow[]): LaneBook {
  const lanes = new Map(rows.map((row) => [row.name, toLane(row)]));
  // Without any lane nothing was ever planned here, so there is nothing to ask a budget for either.
  const hasBudgets = (rows[0]?.budgets ?? 0) > 0;
  return { lanes, changed: new Set(), added: new Set(), hasBudgets };
}

/** Call it late: whoever adds the same lane at the same time waits for our commit. */
export function* writeLaneBook({ changed, added }: LaneBook): DatabaseWork<void> {
  const names = Array.from(added).toSorted();
  yield* writeRows(
    INSERT_LANES,
    names.map((name) => ({ name })),
  );
  const rows = Array.from(changed, ({ name, running, tokens, refilledAt }) => ({
    name,
    running,
    tokens,
    refilled_at: refilledAt,
  }));
  yield* writeRows(WRITE_LANES, rows);
}

/** Takes room for the jobs that start; the bucket is refilled to this moment first. */
export function takeRoom(book: LaneBook, name: string, started: number, now: number): void {
  const lane = book.lanes.get(name);
  if (!lane || !isLimited(lane)) return;
  refill(lane, now);
  if (lane.ratePerMinute !== null) lane.tokens -= started;
  lane.running += started;
  book.changed.add(lane);
}

/** Gives back what jobs held that finished, were parked or lost. */
export function giveRoom(book: LaneBook, names: Iterable<string>, now: number): void {
  for (const name of names) {
    const lane = book.lanes.get(name);
    if (!lane || !isLimited(lane)) continue;
    refill(lane, now);
    lane.running = Math.max(0, lane.running - 1);
    book.changed.add(lane);
  }
}

/** How many more jobs may start in the lane now, and the bucket as it is refilled at this moment. */
export function roomIn(
  lane: Readonly<Lane>,
  now: number,
): { readonly free: number; readonly tokens: number } {
  const slots =
    lane.maxRunning === null ? Number.POSITIVE_INFINITY : lane.maxRunning - lane.running;
  if (lane.ratePerMinute === null) return { free: Math.max(0, slots), tokens: lane.tokens };
  const capacity = lane.burst ?? Math.max(1, Math.ceil(lane.ratePerMinute / 60));
  // A clock that stepped back must not drain the bucket.
  const passedMs = Math.max(0, now - lane.refilledAt);
  const tokens = Math.min(capacity, lane.tokens + (passedMs * lane.ratePerMinute) / 60_000);
  return { free: Math.max(0, Math.min(slots, Math.floor(tokens))), tokens };
}

/** A clock this far behind was set back; a smaller difference is between workers and refills nothing twice. */
const SET_BACK_MS = 60_000;

/** Time that was refilled once is not refilled again, in this transaction or by a worker whose clock is behind. */
function refill(lane: Lane, now: number): void {
  lane.tokens = roomIn(lane, now).tokens;
  const isSetBack = now < lane.refilledAt - SET_BACK_MS;
  lane.refilledAt = isSetBack ? now : Math.max(lane.refilledAt, now);
}

export function addLane(book: LaneBook, name: string): void {
  if (book.lanes.has(name)) return;
  book.lanes.set(name, { ...UNLIMITED, name });
  book.added.add(name);
}

/** Sets a lane's limits; all null lifts them. What runs there already counts. */
export function* limitLane(name: string, limit: LaneLimit, now: number): DatabaseWork<void> {
  yield* writeRows(INSERT_LANES, [{ name }]);
  yield* writeSql(SET_LIMIT, [
    limit.maxRunning,
    limit.ratePerMinute,
    limit.burst,
    limit.burst ?? 1,
    now,
    name,
  ]);
}

export function isLimitedLane({ lanes }: LaneBook, name: string): boolean {
  const lane = lanes.get(name);
  return lane !== undefined && isLimited(lane);
}

function isLimited(lane: Readonly<Lane>): boolean {
  return lane.maxRunning !== null || lane.ratePerMinute !== null;
}

export interface LaneRow {
  readonly name: string;
  readonly max_running: number | null;
  readonly running: number;
  readonly rate_per_minute: number | null;
  readonly burst: number | null;
  readonly tokens: number;
  readonly refilled_at: number;
  /** How many there are in the store; told with every lane. */
  readonly budgets: number;
}

const UNLIMITED: Omit<Lane, "name"> = {
  maxRunning: null,
  running: 0,
  ratePerMinute: null,
  burst: null,
  tokens: 0,
  refilledAt: 0,
};

function toLane(row: LaneRow): Lane {
  return {
    name: row.name,
    maxRunning: row.max_running,
    running: row.running,
    ratePerMinute: row.rate_per_minute,
    burst: row.burst,
    tokens: row.tokens,
    refilledAt: row.refilled_at,
  };
}

const COLUMNS = "name, max_running, running, rate_per_minute, burst, tokens, refilled_at";
const LIMITED = "(max_running is not null or rate_per_minute is not null)";
const BUDGETS = "(select count(*) from budget) as budgets";
const LIST_LANES = {
  sqlite: `select ${COLUMNS}, ${BUDGETS} from lane order by name`,
  postgres: `with limited as (select ${COLUMNS} from lane where ${LIMITED} order by name for no key update)
    select ${COLUMNS}, ${BUDGETS} from limited
    union all select ${COLUMNS}, ${BUDGETS} from lane where not ${LIMITED} order by name`,
};
const INSERT_LANES = insertText("lane", { name: "text" }, "on conflict (name) do nothing");
const WRITE_LANES = sqlForRows(
  { name: "text", running: "int", tokens: "real", refilled_at: "int" },
  "update lane set running = x.running, tokens = x.tokens, refilled_at = x.refilled_at from {rows} where lane.name = x.name",
);
const SET_LIMIT = sqlText(
  `update lane set max_running = ?, rate_per_minute = ?, burst = ?, tokens = ?, refilled_at = ?,
     running = (select count(*) from job where state = 'leased' and job.lane = lane.name) where name = ?`,
);
