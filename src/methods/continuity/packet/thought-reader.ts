/** The words of chosen thoughts, with what may not be seen of them marked. */

import type { Score } from "../../../kernel/prompt/part.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import type { RedactionScope } from "../../../kernel/store/redaction-scope.ts";
import type { Span } from "../../../kernel/store/thought-source.ts";
import {
  findOrigins,
  type ThoughtOrigin,
  type ThoughtType,
} from "../../../kernel/store/withheld-sources.ts";
import { toTaskCandidate } from "./candidate-reads.ts";
import type { PacketDecision, PacketHighlight, PacketTask } from "./packet-material.ts";
import { hiddenIn } from "./redacted-sources.ts";
import { blockOf, lineOf, type SourceText } from "./source-text.ts";

export interface WantedThought {
  readonly id: string;
  readonly score: Score;
}

/** Whether the long text of a thought keeps its lines: where it is what the packet is about. */
export type Writing = "line" | "block";

export type Found<Thought> = ReadonlyMap<string, Thought>;

export function* readTasks(
  wanted: readonly WantedThought[],
  scope: RedactionScope,
  writing: Writing = "line",
): DatabaseWork<Found<PacketTask>> {
  const ids = idsOf(wanted);
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    db
      .selectFrom("task")
      .select(["id", "status", "has_blocker", "has_open_loop", "is_pressing", "created_at"])
      .select(["title", "description", "hold_reason"])
      .where("id", "in", ids),
  );
  const texts = yield* createTexts("task", ids, scope);
  return byWanted(wanted, rows, (row, score) => ({
    ...toTaskCandidate(row),
    score,
    title: texts.line(row.id, "title", row.title),
    description: texts[writing](row.id, "description", row.description ?? ""),
    holdReason: texts.line(row.id, "holdReason", row.hold_reason ?? ""),
  }));
}

export function* readDecisions(
  wanted: readonly WantedThought[],
  scope: RedactionScope,
  writing: Writing = "line",
): DatabaseWork<Found<PacketDecision>> {
  const ids = idsOf(wanted);
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    db.selectFrom("decision").select(["id", "title", "content"]).where("id", "in", ids),
  );
  const texts = yield* createTexts("decision", ids, scope);
  return byWanted(wanted, rows, ({ id, title, content }, score) => ({
    id,
    score,
    title: texts.line(id, "title", title),
    content: texts[writing](id, "content", content),
  }));
}

export function* readHighlights(
  wanted: readonly WantedThought[],
  scope: RedactionScope,
  writing: Writing = "line",
): DatabaseWork<Found<PacketHighlight>> {
  const ids = idsOf(wanted);
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    db.selectFrom("highlight").select(["id", "label", "content"]).where("id", "in", ids),
  );
  const texts = yield* createTexts("highlight", ids, scope);
  return byWanted(wanted, rows, ({ id, label, content }, score) => ({
    id,
    score,
    label: texts.line(id, "label", label ?? ""),
    content: texts[writing](id, "content", content),
  }));
}

interface Texts {
  line(id: string, field: string, text: string): SourceText;
  block(id: string, field: string, text: string): SourceText;
}

function* createTexts(
  type: ThoughtType,
  ids: readonly string[],
  scope: RedactionScope,
): DatabaseWork<Texts> {
  const origins: ReadonlyMap<string, ThoughtOrigin> = yield* findOrigins(type, ids, scope);
  const hidden = (id: string, text: string): readonly Span[] =>
    hiddenIn(scope, origins.get(id), text);
  return {
    line: (id, field, text) => lineOf({ type, id, field }, text, hidden(id, text)),
    block: (id, field, text) => blockOf({ type, id, field }, text, hidden(id, text)),
  };
}

function idsOf(wanted: readonly WantedThought[]): string[] {
  return [...new Set(wanted.map(({ id }) => id))];
}

function byWanted<Row extends { readonly id: string }, Thought>(
  wanted: readonly WantedThought[],
  rows: readonly Row[],
  read: (row: Row, score: Score) => Thought,
): Found<Thought> {
  const scores = new Map(wanted.map(({ id, score }) => [id, score]));
  return new Map(rows.map((row) => [row.id, read(row, scores.get(row.id) ?? { value: 0 })]));
}
