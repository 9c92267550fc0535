/** Imports as they are kept: how far they are, what came of them, what could not be read. */

import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { notFound, ProductError } from "../../../kernel/base/errors.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import {
  afterPlace,
  type Page,
  type PageRequest,
  planPage,
  toPage,
} from "../../../kernel/store/page.ts";
import {
  type Viewer,
  visibleConversations,
  visibleProjects,
} from "../../../kernel/store/visibility.ts";
import { type ImportProgress, type ImportTotals, importProgressSchema } from "./import-progress.ts";
import {
  type AllTables,
  type ImportState,
  type ImportTable,
  type ItemOutcome,
  imports,
} from "./import-tables.ts";
import { isWorkerGone } from "./import-worker.ts";
import type { Branches } from "./source-file.ts";

/** A worker that has not been heard of for this long is gone. */
export const BEAT_LOST_MS = 10_000;

export interface Import {
  readonly id: string;
  /** `interrupted`: whoever worked on it is gone; it can be gone on with. */
  readonly state: ImportState | "interrupted";
  readonly name: string;
  readonly bytes: number;
  readonly branches: Branches;
  readonly projectId: string | undefined;
  readonly uploadId: string;
  readonly startedBy: string;
  readonly worker: string;
  readonly progress: ImportProgress;
  readonly totals: ImportTotals;
  readonly reason: string | undefined;
  readonly startedAt: number;
  readonly finishedAt: number | undefined;
}

export interface ImportProblem {
  readonly file: string;
  readonly offset: number | undefined;
  readonly line: number | undefined;
  readonly code: string;
  readonly message: string;
}

export function* listProblems(
  importId: string,
  limit: number,
): DatabaseWork<readonly ImportProblem[]> {
  const rows = yield* query(
    imports
      .selectFrom("import_problem")
      .selectAll()
      .where("import_id", "=", importId)
      .orderBy("position")
      .limit(limit),
  );
  return rows.map(({ file, byte_offset, line, code, message }) => ({
    file,
    offset: byte_offset ?? undefined,
    line: line ?? undefined,
    code,
    message,
  }));
}

export interface ChangedConversation {
  readonly conversationId: string;
  readonly title: string;
  readonly outcome: ItemOutcome;
  readonly messagesAdded: number;
  readonly messagesEdited: number;
}

/** Of those the viewer may see; what differs from the source comes first. */
export function* listChanged(
  importId: string,
  viewer: Viewer,
  limit: number,
): DatabaseWork<readonly ChangedConversation[]> {
  const rows = yield* query(
    imports
      .selectFrom("import_item")
      .innerJoin("conversation", "conversation.id", "import_item.conversation_id")
      .select(["conversation.id", "conversation.title", "outcome"])
      .select(["messages_added", "messages_edited"])
      .where("import_id", "=", importId)
      .where("conversation.id", "in", visibleConversations(viewer))
      .orderBy("messages_edited", "desc")
      .orderBy("import_item.conversation_id")
      .limit(limit),
  );
  return rows.map((row) => ({
    conversationId: row.id,
    title: row.title,
    outcome: row.outcome,
    messagesAdded: row.messages_added,
    messagesEdited: row.messages_edited,
  }));
}

export function* getImport(given: string, viewer: Viewer, now: number): DatabaseWork<Import> {
  const rows = yield* query(
    imports
      .selectFrom("import")
      .selectAll()
      .where(seesImport(viewer))
      .where((where) =>
        where.or([
          where("import.id", "=", given),
          ...(/^[0-9a-f-]{4,36}$/.test(given) ? [where("import.id", "like", `${given}%`)] : []),
        ]),
      )
      .orderBy("import.id")
      .limit(2),
  );
  const [row, another] = rows;
  if (row === undefined) throw notFound("import", given);
  if (another !== undefined && row.id !== given) {
    throw new ProductError("id_ambiguous", `"${given}" is the beginning of several ids.`, {
      kind: "conflict",
      hint: "Give more of the id.",
    });
  }
  return toImport(row, yield* readTotals(row.id), now);
}

export function* listImports(
  filter: PageRequest & { readonly viewer: Viewer },
  now: number,
): DatabaseWork<Page<Import>> {
  const plan = planPage(filter);
  const rows = yield* query(
    imports
      .selectFrom("import")
      .selectAll()
      .where(seesImport(filter.viewer))
      .where((where) => afterPlace(where, plan, { at: "started_at", id: "id" }))
      .orderBy("started_at", plan.direction)
      .orderBy("id", plan.direction)
      .limit(plan.limit + 1),
  );
  const totals = new Map<string, ImportTotals>();
  for (const { id } of rows.slice(0, plan.limit)) totals.set(id, yield* readTotals(id));
  return toPage(
    rows,
    plan,
    (row) => ({ at: row.started_at, id: row.id }),
    (row) => toImport(row, totals.get(row.id), now),
  );
}

/** Those nobody works on any more although they have not ended. */
export function* listInterrupted(now: number): DatabaseWork<readonly ImportTable[]> {
  const running = yield* query(
    imports.selectFrom("import").selectAll().where("state", "=", "running").orderBy("started_at"),
  );
  return running.filter((row) => isInterrupted(row, now));
}

function isInterrupted({ state, beat_at, worker }: ImportTable, now: number): boolean {
  return state === "running" && (beat_at < now - BEAT_LOST_MS || isWorkerGone(worker));
}

/** Whoever began it sees it, and whoever sees the project it goes to. */
function seesImport(viewer: Viewer): Expression<SqlBool> {
  if (viewer === "everything" || viewer.role === "admin") return sql<SqlBool>`1 = 1`;
  const where = expressionBuilder<AllTables, "import">();
  return where.or([
    where("import.started_by", "=", viewer.userId),
    where("import.project_id", "in", visibleProjects(viewer)),
  ]);
}

export function* readTotals(importId: string): DatabaseWork<ImportTotals> {
  const rows = yield* query(
    imports
      .selectFrom("import_item")
      .select(["outcome"])
      .select(sql<number>`count(*)`.as("conversations"))
      .select(sql<number>`cast(sum(messages_added) as bigint)`.as("added"))
      .select(sql<number>`cast(sum(messages_edited) as bigint)`.as("edited"))
      .where("import_id", "=", importId)
      .groupBy("outcome"),
  );
  const of = (outcome: string) => rows.find((row) => row.outcome === outcome)?.conversations ?? 0;
  const sum = (column: "added" | "edited") => rows.reduce((total, row) => total + row[column], 0);
  return {
    added: of("added"),
    extended: of("extended"),
    edited: of("edited"),
    messagesAdded: sum("added"),
    messagesEdited: sum("edited"),
  };
}

function toImport(row: ImportTable, totals: ImportTotals | undefined, now: number): Import {
  return {
    id: row.id,
    state: isInterrupted(row, now) ? "interrupted" : row.state,
    name: row.name,
    bytes: row.bytes,
    branches: row.branches,
    projectId: row.project_id ?? undefined,
    uploadId: row.upload_id,
    startedBy: row.started_by,
    worker: row.worker,
    progress: importProgressSchema.parse(JSON.parse(row.progress)),
    totals: totals ?? { added: 0, extended: 0, edited: 0, messagesAdded: 0, messagesEdited: 0 },
    reason: row.reason ?? undefined,
    startedAt: row.started_at,
    finishedAt: row.finished_at ?? undefined,
  };
}
