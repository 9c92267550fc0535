/**
 * A store's rows as they may be handed on: without whatever was drawn from a redacted conversation or message, and with
 * redacted passages taken out of every other text, wherever it stands.
 */

import { sourcesInTrace } from "../prompt/prompt-trace.ts";
import { createRedactor, type Redactor } from "../prompt/redactor.ts";
import { type DatabaseWork, query } from "./database-work.ts";
import type { StoredMessage } from "./exchange-hash.ts";
import { db } from "./query-builder.ts";
import { maskSpans } from "./redacted-text.ts";
import {
  findInDrawn,
  findInMessage,
  isIdle,
  loadRedactionScope,
  type RedactionScope,
  type TextOrigin,
} from "./redaction-scope.ts";
import type { Store } from "./store.ts";
import type { Row } from "./table-shapes.ts";
import {
  findHidden,
  findOrigins,
  type NamedSource,
  type ThoughtOrigin,
  type ThoughtType,
} from "./withheld-sources.ts";

export interface Cover {
  /** Of some rows of a table those that may be told, as they may be told. */
  rows(table: string, rows: readonly Row[]): Promise<readonly Row[]>;
  text(text: string): string;
}

/** Undefined where nothing is redacted. Made after the rows were fixed, it holds for what was redacted until then. */
export async function coverStore(store: Store): Promise<Cover | undefined> {
  const scope = await store.read(() => loadRedactionScope(undefined));
  if (isIdle(scope)) return undefined;
  const redactor = createRedactor({ texts: scope.passages.map(({ text }) => text), finders: [] });
  const kept = { scope, redactor, hidden: await findHiddenExchanges(store, scope) };
  return {
    rows: (table, rows) => store.read(() => coverRows(table, rows, kept)),
    text: (text) => coverText(text, kept, [NOWHERE]),
  };
}

interface Covering {
  readonly scope: RedactionScope;
  readonly redactor: Redactor;
  readonly hidden: HiddenExchanges;
}

function* coverRows(
  table: string,
  rows: readonly Row[],
  covering: Covering,
): DatabaseWork<readonly Row[]> {
  if (NEVER_TOLD.has(table)) return [];
  const { scope } = covering;
  const named = rows.map((row) => ({ row, refs: sourcesOf(table, row) }));
  const hidden = yield* findHidden(
    named.flatMap(({ refs }) => refs),
    scope,
  );
  const told = named
    .filter(({ refs }) => !refs.some(({ type, id }) => hidden.has(`${type}:${id}`)))
    .map(({ row }) => row)
    .filter((row) => !isOfHiddenExchange(table, row, covering.hidden));
  const origins = isThought(table)
    ? yield* findOrigins(
        table,
        told.map((row) => String(row["id"])),
        scope,
      )
    : NO_ORIGINS;
  return told
    .map((row) => coverRow(table, row, covering, origins.get(String(row["id"]))))
    .map((row) => (table === "user" ? { ...row, password_hash: null } : row));
}

/**
 * Answers kept to be repeated say no more what they were drawn from, and whoever reads repeats nothing. What lets
 * people and programs in is for `init --from`, which takes no covered export.
 */
const NEVER_TOLD: ReadonlySet<string> = new Set(["idempotency", "token", "login", "login_code"]);

const NO_ORIGINS: ReadonlyMap<string, ThoughtOrigin> = new Map();

function isThought(table: string): table is ThoughtType {
  return table === "task" || table === "decision" || table === "highlight";
}

/** What a row is, and everything it was drawn from. That something is redacted is no secret: only what. */
function sourcesOf(table: string, row: Row): readonly NamedSource[] {
  if (table === "redaction") return [];
  const named: readonly (readonly [unknown, unknown])[] = [
    [table, row["id"]],
    ["conversation", row["conversation_id"]],
    ["message", row["message_id"]],
    [row["source_type"], row["source_id"]],
  ];
  return [
    ...named.flatMap(([type, id]) =>
      typeof type === "string" && typeof id === "string" ? [{ type, id }] : [],
    ),
    ...(typeof row["trace"] === "string" ? sourcesInTrace(row["trace"]) : []),
    ...(typeof row["inputs"] === "string" ? sourcesInInputs(row["inputs"]) : []),
  ];
}

function sourcesInInputs(inputs: string): readonly NamedSource[] {
  const named = JSON.parse(inputs) as unknown;
  return (Array.isArray(named) ? named : []).filter(
    (each: Partial<NamedSource> | null): each is NamedSource =>
      typeof each?.type === "string" && typeof each.id === "string",
  );
}

function coverRow(
  table: string,
  row: Row,
  covering: Covering,
  drawn: ThoughtOrigin | undefined,
): Row {
  const origins = drawn === undefined ? [originIn(row)] : [drawn.own, drawn.followed];
  const cells = Object.entries(row).map(([column, cell]) => {
    if (typeof cell !== "string") return [column, cell];
    return table === "message" && column === "content"
      ? [column, maskSpans(cell, findInMessage(covering.scope, String(row["id"]), cell))]
      : [column, coverText(cell, covering, origins)];
  });
  return Object.fromEntries(cells) as Row;
}

const NOWHERE: TextOrigin = { conversationId: null, messageId: null };

function originIn({ message_id: messageId }: Row): TextOrigin {
  return typeof messageId === "string" ? { conversationId: null, messageId } : NOWHERE;
}

/** A text that is JSON is covered string by string, so that it stays JSON and no escape hides a passage. */
function coverText(text: string, covering: Covering, origins: readonly TextOrigin[]): string {
  const value = /^[[{"]/.test(text) ? tryParse(text) : undefined;
  if (value === undefined) return coverWords(text, covering, origins);
  const state = { isChanged: false };
  const covered = coverValue(value, (each) => {
    const words = coverText(each, covering, origins);
    if (words !== each) state.isChanged = true;
    return words;
  });
  return state.isChanged ? JSON.stringify(covered) : text;
}

function coverValue(value: unknown, cover: (text: string) => string): unknown {
  if (typeof value === "string") return cover(value);
  if (Array.isArray(value)) return value.map((each) => coverValue(each, cover));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [cover(key), coverValue(member, cover)]),
  );
}

function coverWords(
  text: string,
  { scope, redactor }: Covering,
  origins: readonly TextOrigin[],
): string {
  const spans = origins.flatMap((origin) => findInDrawn(scope, origin, text));
  return maskSpans(text, [...redactor.find(text), ...spans]);
}

/** Nothing of ours is as deep; a text of nothing but brackets is, and who walks it runs out of stack. */
const DEEPEST = 100;

function tryParse(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return isDeeper(value, DEEPEST) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(root: unknown, most: number): boolean {
  let level: readonly unknown[] = [root];
  for (let depth = 0; depth <= most; depth += 1) {
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? (Object.values(value) as unknown[]) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

/** Exchanges whose prompt shows something hidden: their answers, and texts they share, go with them. */
interface HiddenExchanges {
  readonly ids: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
}

function isOfHiddenExchange(table: string, row: Row, { ids, texts }: HiddenExchanges): boolean {
  if (table === "text") return texts.has(String(row["hash"]));
  return typeof row["exchange_id"] === "string" && ids.has(row["exchange_id"]);
}

const PAGE = 200;

async function findHiddenExchanges(store: Store, scope: RedactionScope): Promise<HiddenExchanges> {
  const found = { ids: new Set<string>(), texts: new Set<string>() };
  if (scope.conversationIds.size + scope.messageIds.size === 0) return found;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const from: string = after;
    after = await store.read(() => addHiddenExchanges(from, scope, found));
  }
  return found;
}

function* addHiddenExchanges(
  after: string,
  scope: RedactionScope,
  found: { readonly ids: Set<string>; readonly texts: Set<string> },
): DatabaseWork<string | undefined> {
  const rows = yield* query(
    db
      .selectFrom("exchange")
      .select(["id", "trace", "messages"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE),
  );
  for (const { id, trace, messages } of rows) {
    if (trace === null) continue;
    if ((yield* findHidden(sourcesInTrace(trace), scope)).size === 0) continue;
    found.ids.add(id);
    for (const message of JSON.parse(messages) as readonly StoredMessage[]) {
      if ("shared" in message) found.texts.add(message.shared);
    }
  }
  return rows.at(-1)?.id;
}
