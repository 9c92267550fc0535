/**
 * What changed in a project in a stretch of time, from its event log and its present state. The log says what happened
 * to which thought and when; its words are read from the thought as it is now, without anything that is redacted.
 */

import { withoutRedacted } from "../../../kernel/operation/redacted-view.ts";
import { type DatabaseWork, query, runSql } from "../../../kernel/store/database-work.ts";
import type { TaskTable } from "../../../kernel/store/noun-tables.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { toSource } from "../../../kernel/store/thought-source.ts";
import { readThoughts } from "../harvest/existing-thoughts.ts";
import { harvests } from "../harvest/harvest-tables.ts";
import type { Existing } from "../harvest/matching/match-candidate.ts";

export const FACT_SECTIONS = ["decided", "contradicted", "opened", "closed", "blocking"] as const;
export type FactSection = (typeof FACT_SECTIONS)[number];

export interface Fact {
  readonly section: FactSection;
  /** How the prompt calls it: `d1`, `t3`. */
  readonly mark: string;
  readonly type: "task" | "decision";
  readonly id: string;
  readonly title: string;
  /** What is worth knowing beside the title. */
  readonly detail: string;
  /** When it happened; for what still blocks, since when it is there. */
  readonly at: number;
}

export interface DigestFacts {
  readonly facts: readonly Fact[];
  /** Kept passages, and work of workflows, are counted only. */
  readonly highlights: number;
  readonly workflowTasks: number;
  /** Made and deleted again, or withheld. */
  readonly unseen: number;
}

export interface DigestPeriod {
  readonly since: number;
  readonly until: number;
}

export function* gatherFacts(projectId: string, period: DigestPeriod): DatabaseWork<DigestFacts> {
  const events = yield* readEvents(projectId, period);
  const tasks = yield* readTasks(idsOf(events, "task"), projectId);
  const decided = yield* decidedFacts(projectId, events);
  const contradicted = [
    ...(yield* supersededFacts(projectId, events)),
    ...(yield* openContradictions(projectId)),
  ];
  const { opened, closed } = movedTasks(events, tasks.kept);
  const blocking = yield* blockingFacts(projectId, period.until);
  const facts = [decided.facts, contradicted, opened, closed, blocking].flat();
  return {
    facts: withMarks(facts),
    highlights: events.filter(({ type }) => type === "highlight.created").length,
    workflowTasks: tasks.ofWorkflows,
    unseen: tasks.unseen + decided.unseen,
  };
}

type Unmarked = Omit<Fact, "mark">;

interface LoggedEvent {
  readonly type: string;
  readonly at: number;
  readonly id: string;
}

const PAGE = 1000;
const NEWEST_FIRST = sqlText(
  `select seq, type, at, data from event where stream = ? and seq < ? order by seq desc limit ${PAGE}`,
);

/** The project's own stream, from its end backwards: what is older than the period is not read. */
function* readEvents(
  projectId: string,
  { since, until }: DigestPeriod,
): DatabaseWork<readonly LoggedEvent[]> {
  const found: LoggedEvent[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = yield* runSql<{ seq: number; type: string; at: number; data: string | null }>(
      NEWEST_FIRST,
      [projectId, before],
    );
    for (const { type, at, data } of rows) {
      if (at < since) return found.toReversed();
      const id = data === null ? undefined : (JSON.parse(data) as { id?: unknown }).id;
      if (at <= until && typeof id === "string") found.push({ type, at, id });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return found.toReversed();
    before = last.seq;
  }
}

function idsOf(events: readonly LoggedEvent[], noun: string): readonly string[] {
  const ids = events.filter(({ type }) => type.startsWith(`${noun}.`)).map(({ id }) => id);
  return [...new Set(ids)];
}

interface TaskNow extends Existing {
  readonly holdReason: string;
}

function* readTasks(ids: readonly string[], projectId: string) {
  const rows = yield* readRows(ids);
  const own = rows.filter(({ workflow_id }) => workflow_id === null);
  const refs = own.map(({ id }) => ({ type: "task" as const, id }));
  const shown = yield* readThoughts(refs, projectId);
  const held = yield* withoutRedacted(
    own.map((row) => ({
      id: row.id,
      projectId,
      source: toSource(row),
      holdReason: row.hold_reason ?? "",
    })),
    ["holdReason"],
  );
  const kept = new Map<string, TaskNow>();
  for (const { id, holdReason } of held) {
    const task = shown.get(id);
    if (task !== undefined) kept.set(id, { ...task, holdReason });
  }
  const ofWorkflows = rows.length - own.length;
  return { kept, ofWorkflows, unseen: ids.length - ofWorkflows - kept.size };
}

const IDS_AT_ONCE = 2000;

function* readRows(ids: readonly string[]) {
  const rows: TaskRow[] = [];
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    rows.push(
      ...(yield* query(
        db
          .selectFrom("task")
          .select(["id", "workflow_id", "hold_reason", "source_type", "source_id", "quote"])
          .where("id", "in", ids.slice(from, from + IDS_AT_ONCE)),
      )),
    );
  }
  return rows;
}

type TaskRow = Pick<
  TaskTable,
  "id" | "workflow_id" | "hold_reason" | "source_type" | "source_id" | "quote"
>;

const OPEN = ["pending", "in_progress", "waiting", "on_hold"];
const CLOSED = ["completed", "failed", "cancelled"];

/** By what happened last: what was opened and closed in the same time is closed. */
function movedTasks(
  events: readonly LoggedEvent[],
  tasks: ReadonlyMap<string, TaskNow>,
): { readonly opened: readonly Unmarked[]; readonly closed: readonly Unmarked[] } {
  const opened = new Map<string, Unmarked>();
  const closed = new Map<string, Unmarked>();
  for (const { type, at, id } of events) {
    const task = tasks.get(id);
    if (task === undefined) continue;
    const [noun, verb = ""] = type.split(".");
    if (noun !== "task") continue;
    if (verb === "created" && OPEN.includes(task.status ?? "")) {
      opened.set(id, { ...factOf("opened", task, at), detail: statusOf(task) });
    }
    if (CLOSED.includes(verb) && task.status === verb) {
      closed.set(id, { ...factOf("closed", task, at), detail: verb });
    }
  }
  return { opened: [...opened.values()], closed: [...closed.values()] };
}

function* decidedFacts(projectId: string, events: readonly LoggedEvent[]) {
  const made = events.filter(({ type }) => type === "decision.created");
  const refs = made.map(({ id }) => ({ type: "decision" as const, id }));
  const shown = yield* readThoughts(refs, projectId);
  const active = new Set(yield* activeDecisions(made.map(({ id }) => id)));
  const facts = made.flatMap(({ id, at }): Unmarked[] => {
    const decision = shown.get(id);
    if (decision === undefined || !active.has(id)) return [];
    return [{ ...factOf("decided", decision, at), detail: decision.text }];
  });
  return { facts, unseen: made.length - shown.size };
}

function* activeDecisions(ids: readonly string[]): DatabaseWork<readonly string[]> {
  const found: string[] = [];
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const rows = yield* query(
      db
        .selectFrom("decision")
        .select("id")
        .where("id", "in", ids.slice(from, from + IDS_AT_ONCE))
        .where("is_inactive", "=", 0),
    );
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}

function* supersededFacts(
  projectId: string,
  events: readonly LoggedEvent[],
): DatabaseWork<readonly Unmarked[]> {
  const facts: Unmarked[] = [];
  for (const { type, at, id } of events) {
    if (type !== "decision.superseded") continue;
    const rows = yield* query(
      db.selectFrom("decision").select("id").where("supersedes_id", "=", id).orderBy("id"),
    );
    const by = rows.at(-1)?.id;
    const refs = [id, ...(by === undefined ? [] : [by])].map((each) => ({
      type: "decision" as const,
      id: each,
    }));
    const shown = yield* readThoughts(refs, projectId);
    const old = shown.get(id);
    if (old === undefined) continue;
    const later = by === undefined ? undefined : shown.get(by)?.title;
    const detail = later === undefined ? "superseded" : `superseded by “${later}”`;
    facts.push({ ...factOf("contradicted", old, at), detail });
  }
  return facts;
}

/** Proposed against a decision, and nobody has said what becomes of it. */
function* openContradictions(projectId: string): DatabaseWork<readonly Unmarked[]> {
  const rows = yield* query(
    harvests
      .selectFrom("harvest_candidate")
      .innerJoin("harvest", "harvest.id", "harvest_candidate.harvest_id")
      .select(["harvest_candidate.match_id", "harvest.created_at"])
      .where("harvest.project_id", "=", projectId)
      .where("harvest.purged_at", "is", null)
      .where("harvest_candidate.match_kind", "=", "contradicts")
      .where("harvest_candidate.status", "=", "proposed")
      .orderBy("harvest.created_at")
      .orderBy("harvest_candidate.number"),
  );
  const latest = new Map(rows.map(({ match_id, created_at }) => [match_id ?? "", created_at]));
  const refs = [...latest.keys()].map((id) => ({ type: "decision" as const, id }));
  const shown = yield* readThoughts(refs, projectId);
  return [...latest].flatMap(([id, at]): Unmarked[] => {
    const decision = shown.get(id);
    if (decision === undefined) return [];
    const detail = "an answer that waits for review contradicts it";
    return [{ ...factOf("contradicted", decision, at), detail }];
  });
}

const BLOCKING = sqlText(
  `select id, created_at from task where project_id = ? and is_inactive = 0 and created_at <= ?
   and status in ('pending', 'in_progress', 'waiting', 'on_hold') and (has_blocker = 1 or status = 'on_hold')
   order by created_at, id`,
);

function* blockingFacts(projectId: string, until: number): DatabaseWork<readonly Unmarked[]> {
  const rows = yield* runSql<{ id: string; created_at: number }>(BLOCKING, [projectId, until]);
  const { kept } = yield* readTasks(
    rows.map(({ id }) => id),
    projectId,
  );
  return rows.flatMap(({ id, created_at }): Unmarked[] => {
    const task = kept.get(id);
    if (task === undefined) return [];
    return [{ ...factOf("blocking", task, created_at), detail: statusOf(task) }];
  });
}

function factOf(section: FactSection, { type, id, title, text }: Existing, at: number): Unmarked {
  const name = title === "" ? text : title;
  return { section, type: type === "task" ? "task" : "decision", id, title: name, detail: "", at };
}

function statusOf({ status = "", holdReason }: TaskNow): string {
  const words = status.replaceAll("_", " ");
  return status === "on_hold" && holdReason !== "" ? `${words}: ${holdReason}` : words;
}

/** The same thought has one mark wherever it stands. */
function withMarks(facts: readonly Unmarked[]): readonly Fact[] {
  const marks = new Map<string, string>();
  const counts = { task: 0, decision: 0 };
  return facts.map((fact) => {
    const known = marks.get(fact.id);
    if (known !== undefined) return { ...fact, mark: known };
    counts[fact.type] += 1;
    const mark = `${fact.type === "task" ? "t" : "d"}${counts[fact.type]}`;
    marks.set(fact.id, mark);
    return { ...fact, mark };
  });
}
