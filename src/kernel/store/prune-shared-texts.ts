/**
 * Removes shared texts that no prompt uses any more. A prompt being written at this moment may be about to use
 * one: what seems unused is looked at again while nobody can add texts.
 */

import { type DatabaseWork, executeSql, runSql } from "./database-work.ts";
import type { StoredMessage } from "./exchange-hash.ts";
import { sqlOverRows, sqlText } from "./sql-text.ts";
import type { Store } from "./store.ts";

export interface Swept {
  readonly rows: number;
  readonly bytes: number;
}

export async function pruneSharedTexts(store: Store): Promise<Swept> {
  const used = new Set<string>();
  const newest = await noteUsed(store, used, "");
  const unused = (await store.read(() => runSql<{ hash: string }>(LIST_TEXTS, [])))
    .map(({ hash }) => hash)
    .filter((hash) => !used.has(hash));
  if (unused.length === 0) return { rows: 0, bytes: 0 };
  return store.write(() => removeUnused(unused, newest));
}

async function noteUsed(store: Store, used: Set<string>, from: string): Promise<string> {
  let place = from;
  for (;;) {
    const after = place;
    const page = await store.read(() => runSql<ExchangeRow>(NEXT_EXCHANGES, [after]));
    for (const row of page) noteMessages(used, row);
    const last = page.at(-1);
    if (last === undefined) return place;
    place = last.id;
  }
}

/** Ids grow with time: whatever came since the first look is looked at here. */
function* removeUnused(unused: readonly string[], newest: string): DatabaseWork<Swept> {
  yield* executeSql(KEEP_TEXTS, []);
  const used = new Set<string>();
  let place = earlierThan(newest);
  for (;;) {
    const page: readonly ExchangeRow[] = yield* runSql<ExchangeRow>(NEXT_EXCHANGES, [place]);
    for (const row of page) noteMessages(used, row);
    const last = page.at(-1);
    if (last === undefined) break;
    place = last.id;
  }
  const rows = unused.filter((hash) => !used.has(hash)).map((hash) => ({ hash }));
  const removed = yield* runSql<{ bytes: number }>(DELETE_TEXTS, [JSON.stringify(rows)]);
  return { rows: removed.length, bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Ids made by machines whose clocks differ may sort a little before the last one seen. */
const SKEW_MS = 3_600_000;

/** The beginning of an id made that much earlier. */
function earlierThan(id: string): string {
  const madeAt = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
  if (!Number.isFinite(madeAt)) return "";
  const time = Math.max(0, madeAt - SKEW_MS)
    .toString(16)
    .padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

interface ExchangeRow {
  readonly id: string;
  readonly messages: string;
}

function noteMessages(used: Set<string>, { messages }: ExchangeRow): void {
  for (const message of JSON.parse(messages) as readonly StoredMessage[]) {
    if ("shared" in message) used.add(message.shared);
  }
}

const LIST_TEXTS = sqlText("select hash from text");
const NEXT_EXCHANGES = sqlText(
  "select id, messages from exchange where id > ? and messages <> '[]' order by id limit 500",
);
const DELETE_TEXTS = sqlOverRows(
  { hash: "text" },
  "delete from text where hash in (select hash from {rows}) returning octet_length(body) as bytes",
);
const KEEP_TEXTS = {
  sqlite: "select 1",
  // Waits for prompts being written, which hold a lighter lock on this table until they are there.
  postgres: "lock table text in share row exclusive mode",
};
