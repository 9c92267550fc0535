/**
 * What happened to a project in a stretch of time, as its event log tells it: which thoughts were decided, opened,
 * closed and contradicted, and what blocks still. Only ids and times, no words: it is kept with the run, and words that
 * are redacted meanwhile must not be found there.
 */

import { z } from "zod";
import { type DatabaseWork, query, runSql } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import type { Store } from "../../../kernel/store/store.ts";
import { harvests } from "../harvest/harvest-tables.ts";

export const FACT_SECTIONS = ["decided", "contradicted", "opened", "closed", "blocking"] as const;
export type FactSection = (typeof FACT_SECTIONS)[number];

/** Of each section the newest; of what blocks, the oldest. The rest is counted, and told as counted. */
export const MOST_PER_SECTION = 200;

export const outlineItem = z.object({
  section: z.enum(FACT_SECTIONS),
  /** How the prompt calls it: `d1`, `t3`. The same thought has one mark wherever it stands. */
  mark: z.string(),
  type: z.enum(["task", "decision"]),
  id: z.string(),
  /** When it happened; for what still blocks, since when it is there. */
  at: z.number(),
  /** What it has become, or how it came about. */
  how: z
    .enum(["completed", "failed", "cancelled", "reopened", "superseded", "disputed"])
    .optional(),
  /** The decision that took its place. */
  by: z.string().optional(),
});
export type OutlineItem = z.output<typeof outlineItem>;

export const digestPeriod = z.object({ since: z.number(), until: z.number() });
export type DigestPeriod = z.output<typeof digestPeriod>;

export const digestOutline = z.object({
  period: digestPeriod,
  items: z.array(outlineItem),
  counts: z.object({
    decided: z.number(),
    contradicted: z.number(),
    opened: z.number(),
    closed: z.number(),
    blocking: z.number(),
    /** Kept passages, and work of workflows, are counted only. */
    highlights: z.number(),
    workflowTasks: z.number(),
    /** Made in this time and deleted or archived since. */
    gone: z.number(),
    /** Events whose facts were pruned: nobody can tell any more what they were about. */
    pruned: z.number(),
  }),
});
export type DigestOutline = z.output<typeof digestOutline>;

/** Page by page, so that a busy year keeps nobody waiting. */
export async function outlineDigest(
  store: Store,
  projectId: string,
  period: DigestPeriod,
): Promise<DigestOutline> {
  const log = await readLog(store, projectId, period);
  const tasks = await readInPages(store, [...log.tasks.keys()], readTasks);
  const made = await readInPages(store, [...log.decisions], readDecisions);
  const moved = moveTasks(log, tasks);
  const decided = decisionItems(
    made,
    await store.read(() => readPlacedDecisions(projectId, period)),
  );
  const contradicted = [
    ...(await store.read(() => readSuccessors(log.superseded))),
    ...(await store.read(() => readDisputed(projectId, period))),
  ];
  const blocking = await store.read(() => readBlocking(projectId, period.until));
  const sections: Readonly<Record<FactSection, readonly Unmarked[]>> = {
    decided,
    contradicted,
    opened: moved.opened,
    closed: moved.closed,
    blocking,
  };
  const items = FACT_SECTIONS.flatMap((section) => mostOf(section, sections[section]));
  return {
    period,
    items: withMarks(items),
    counts: {
      decided: decided.length,
      contradicted: contradicted.length,
      opened: moved.opened.length,
      closed: moved.closed.length,
      blocking: blocking.length,
      highlights: log.highlights,
      workflowTasks: tasks.filter(({ workflow_id }) => workflow_id !== null).length,
      gone: moved.gone + made.filter(({ isGone }) => isGone).length,
      pruned: log.pruned,
    },
  };
}

type Unmarked = Omit<OutlineItem, "mark">;

function mostOf(section: FactSection, items: readonly Unmarked[]): readonly Unmarked[] {
  const inOrder = items.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  return section === "blocking"
    ? inOrder.slice(0, MOST_PER_SECTION)
    : inOrder.slice(-MOST_PER_SECTION);
}

function withMarks(items: readonly Unmarked[]): OutlineItem[] {
  const marks = new Map<string, string>();
  const counts = { task: 0, decision: 0 };
  return items.map((item) => {
    const known = marks.get(item.id);
    if (known !== undefined) return { ...item, mark: known };
    counts[item.type] += 1;
    const mark = `${item.type === "task" ? "t" : "d"}${counts[item.type]}`;
    marks.set(item.id, mark);
    return { ...item, mark };
  });
}

const CLOSED = ["completed", "failed", "cancelled"] as const;
type Closed = (typeof CLOSED)[number];

function isClosed(status: string | undefined): status is Closed {
  return CLOSED.some((each) => each === status);
}

/** What the log tells of one task in the period. */
interface TaskCourse {
  readonly createdAt?: number;
  /** How it stood before the first move of the period; undefined for what was made in it. */
  readonly before?: string | undefined;
  readonly last?: { readonly status: string; readonly at: number };
}

interface ProjectLog {
  readonly tasks: ReadonlyMap<string, TaskCourse>;
  readonly decisions: ReadonlySet<string>;
  readonly superseded: ReadonlyMap<string, number>;
  readonly highlights: number;
  readonly pruned: number;
}

const PAGE = 1000;
/** The project's own stream, from its end backwards: what is older than the period is not read. */
const NEWEST_FIRST = sqlText(
  `select seq, type, at, data from event where stream = ? and seq < ? order by seq desc limit ${PAGE}`,
);

interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  readonly data: string | null;
}

const eventData = z.object({
  id: z.string(),
  set: z.object({ status: z.string().optional() }).optional(),
  was: z.object({ status: z.string().optional() }).optional(),
});

async function readLog(
  store: Store,
  projectId: string,
  { since, until }: DigestPeriod,
): Promise<ProjectLog> {
  const tasks = new Map<string, TaskCourse>();
  const decisions = new Set<string>();
  const superseded = new Map<string, number>();
  const [kept, dropped] = [new Set<string>(), new Set<string>()];
  let pruned = 0;
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const from: number = before;
    const rows = await store.read(() => runSql<EventRow>(NEWEST_FIRST, [projectId, from]));
    const last = rows.at(-1);
    before = last === undefined || rows.length < PAGE || last.at < since ? undefined : last.seq;
    for (const { type, at, data } of rows) {
      if (at < since || at > until || !/^(?:task|decision|highlight)\./.test(type)) continue;
      if (data === null) {
        pruned += 1;
        continue;
      }
      const event = eventData.parse(JSON.parse(data));
      if (type === "highlight.deleted") dropped.add(event.id);
      else if (type === "highlight.created") kept.add(event.id);
      else if (type === "decision.created") decisions.add(event.id);
      else if (type === "decision.superseded") superseded.set(event.id, at);
      else if (type.startsWith("task.")) {
        tasks.set(event.id, earlier(tasks.get(event.id) ?? {}, type, at, event));
      }
    }
  }
  return { tasks, decisions, superseded, highlights: kept.difference(dropped).size, pruned };
}

/** Events come newest first: the first move that is seen is the last that was made. */
function earlier(
  course: TaskCourse,
  type: string,
  at: number,
  { set, was }: z.output<typeof eventData>,
): TaskCourse {
  const created = type === "task.created" ? { createdAt: at } : {};
  if (set?.status === undefined) return { ...course, ...created };
  return {
    ...course,
    ...created,
    before: was?.status,
    last: course.last ?? { status: set.status, at },
  };
}

interface TaskRow {
  readonly id: string;
  readonly workflow_id: string | null;
  readonly is_inactive: number;
}

function* readTasks(ids: readonly string[]): DatabaseWork<readonly TaskRow[]> {
  return yield* query(
    db
      .selectFrom("task")
      .select(["id", "workflow_id", "is_inactive"])
      .where("id", "in", [...ids]),
  );
}

function moveTasks({ tasks }: ProjectLog, rows: readonly TaskRow[]) {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const opened: Unmarked[] = [];
  const closed: Unmarked[] = [];
  let gone = 0;
  for (const [id, { createdAt, before, last }] of tasks) {
    const row = byId.get(id);
    if (row?.workflow_id != null) continue;
    const thought = { type: "task" as const, id };
    if (isClosed(last?.status)) {
      if (row === undefined) gone += 1;
      else closed.push({ section: "closed", ...thought, at: last.at, how: last.status });
    } else if (createdAt !== undefined || (isClosed(before) && last !== undefined)) {
      if (row === undefined || row.is_inactive === 1) gone += 1;
      else if (createdAt !== undefined)
        opened.push({ section: "opened", ...thought, at: createdAt });
      else opened.push({ section: "opened", ...thought, at: last?.at ?? 0, how: "reopened" });
    }
  }
  return { opened, closed, gone };
}

interface DecisionRow {
  readonly id: string;
  readonly at: number;
  /** Archived or deleted. One that was superseded is told among what is contradicted. */
  readonly isGone: boolean;
}

function* readDecisions(ids: readonly string[]): DatabaseWork<readonly DecisionRow[]> {
  const rows = yield* query(
    db
      .selectFrom("decision")
      .leftJoin("decision as later", "later.supersedes_id", "decision.id")
      .select([
        "decision.id",
        "decision.created_at",
        "decision.is_inactive",
        "later.id as later_id",
      ])
      .where("decision.id", "in", [...ids]),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (row === undefined) return { id, at: 0, isGone: true };
    return { id, at: row.created_at, isGone: row.is_inactive === 1 && row.later_id === null };
  });
}

/** A decision of a conversation with several projects is logged with none of them. */
function* readPlacedDecisions(
  projectId: string,
  { since, until }: DigestPeriod,
): DatabaseWork<readonly DecisionRow[]> {
  const rows = yield* query(
    db
      .selectFrom("project_thought")
      .innerJoin("decision", "decision.id", "project_thought.thought_id")
      .select(["decision.id", "decision.created_at"])
      .where("project_thought.project_id", "=", projectId)
      .where("project_thought.kind", "=", "decision")
      .where("project_thought.created_at", ">=", since)
      .where("project_thought.created_at", "<=", until)
      .where("decision.is_inactive", "=", 0),
  );
  return rows.map(({ id, created_at }) => ({ id, at: created_at, isGone: false }));
}

function decisionItems(...lists: readonly (readonly DecisionRow[])[]): readonly Unmarked[] {
  const kept = new Map(
    lists
      .flat()
      .filter(({ isGone }) => !isGone)
      .map((row) => [row.id, row]),
  );
  return [...kept.values()].map(({ id, at }) => ({ section: "decided", type: "decision", id, at }));
}

function* readSuccessors(
  superseded: ReadonlyMap<string, number>,
): DatabaseWork<readonly Unmarked[]> {
  if (superseded.size === 0) return [];
  const rows = yield* query(
    db
      .selectFrom("decision")
      .select(["id", "supersedes_id"])
      .where("supersedes_id", "in", [...superseded.keys()])
      .orderBy("created_at")
      .orderBy("id"),
  );
  const by = new Map(rows.map(({ id, supersedes_id }) => [supersedes_id, id]));
  return [...superseded].map(([id, at]) => ({
    section: "contradicted",
    type: "decision",
    id,
    at,
    how: "superseded",
    by: by.get(id),
  }));
}

/** Proposed against a decision, and nobody has said what becomes of it. */
function* readDisputed(
  projectId: string,
  { until }: DigestPeriod,
): DatabaseWork<readonly Unmarked[]> {
  const rows = yield* query(
    harvests
      .selectFrom("harvest_candidate")
      .innerJoin("harvest", "harvest.id", "harvest_candidate.harvest_id")
      .select(["harvest_candidate.match_id", "harvest.created_at"])
      .where("harvest.project_id", "=", projectId)
      .where("harvest.created_at", "<=", until)
      .where("harvest.purged_at", "is", null)
      .where("harvest_candidate.match_kind", "=", "contradicts")
      .where("harvest_candidate.status", "=", "proposed")
      .orderBy("harvest.created_at")
      .orderBy("harvest_candidate.number"),
  );
  const latest = new Map(
    rows.flatMap(({ match_id, created_at }) => (match_id === null ? [] : [[match_id, created_at]])),
  );
  return [...latest].map(([id, at]) => ({
    section: "contradicted",
    type: "decision",
    id,
    at,
    how: "disputed",
  }));
}

const BLOCKING = sqlText(
  `select id, created_at from task where project_id = ? and is_inactive = 0 and created_at <= ?
   and status in ('pending', 'in_progress', 'waiting', 'on_hold') and (has_blocker = 1 or status = 'on_hold')`,
);

function* readBlocking(projectId: string, until: number): DatabaseWork<readonly Unmarked[]> {
  const rows = yield* runSql<{ id: string; created_at: number }>(BLOCKING, [projectId, until]);
  return rows.map(({ id, created_at }) => ({
    section: "blocking",
    type: "task",
    id,
    at: created_at,
  }));
}

async function readInPages<Row>(
  store: Store,
  ids: readonly string[],
  read: (ids: readonly string[]) => DatabaseWork<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < ids.length; from += PAGE) {
    rows.push(...(await store.read(() => read(ids.slice(from, from + PAGE)))));
  }
  return rows;
}
