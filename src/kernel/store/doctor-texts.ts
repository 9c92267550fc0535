/** Recomputes the hashes of shared texts, prompts, replies and artifacts. What was pruned has no text left to check. */

import { hashText } from "../base/hash.ts";
import { promptHash, type StoredMessage } from "./exchange-hash.ts";
import { RESTORE_HINT, type Report } from "./finding.ts";
import type { Migration } from "./migrate.ts";
import type { Snapshot } from "./snapshot.ts";
import { sqlText } from "./sql-text.ts";
import { listTableShapes, type Row, walkTable } from "./table-shapes.ts";

/** Methods name their hashed texts in the migrations that make their tables. */
export async function checkTexts(
  snapshot: Snapshot,
  report: Report,
  migrations: readonly Migration[] = [],
): Promise<void> {
  const shapes = await listTableShapes(snapshot);
  const ofMethods = migrations
    .flatMap(({ hashed = [] }) => hashed)
    .map(({ table, text, hash }): TableCheck => [table, (row) => isTextOf(row[hash], row[text])]);
  for (const [table, isWhole] of [...CHECKED, ...ofMethods]) {
    const shape = shapes.find(({ name }) => name === table);
    if (shape === undefined) continue;
    for await (const row of walkTable(snapshot, shape)) {
      if (await isWhole(row, snapshot)) continue;
      report({
        code: `${table}_changed`,
        severity: "damage",
        place: `${table} ${String(row[shape.key[0] ?? "id"])}`,
        message: "Its text is not the one it was written with.",
        hint: RESTORE_HINT,
      });
    }
  }
}

type WholeCheck = (row: Row, snapshot: Snapshot) => boolean | Promise<boolean>;

type TableCheck = readonly [string, WholeCheck];

const CHECKED: readonly TableCheck[] = [
  ["text", ({ body, hash }) => isTextOf(hash, body)],
  ["exchange", isWholeExchange],
  ["answer", ({ reply, reply_hash }) => isTextOf(reply_hash, reply)],
  [
    "artifact",
    ({ body, hash, bytes }) =>
      isTextOf(hash, body) && (typeof body !== "string" || Buffer.byteLength(body) === bytes),
  ],
];

type Cell = Row[string] | undefined;

function isTextOf(hash: Cell, text: Cell): boolean {
  return text === null || (typeof text === "string" && hashText(text) === hash);
}

async function isWholeExchange(row: Row, snapshot: Snapshot): Promise<boolean> {
  const stored = parseMessages(row["messages"]);
  if (stored === undefined) return false;
  if (stored.length === 0) return true;
  const messages: { role: string; text: string }[] = [];
  for (const message of stored) {
    const text = "text" in message ? message.text : await sharedText(snapshot, message.shared);
    if (text === undefined) return false;
    messages.push({ role: message.role, text });
  }
  return promptHash(messages) === row["prompt_hash"];
}

function parseMessages(text: Cell): readonly StoredMessage[] | undefined {
  try {
    return JSON.parse(String(text)) as readonly StoredMessage[];
  } catch {
    return undefined;
  }
}

async function sharedText(snapshot: Snapshot, hash: string): Promise<string | undefined> {
  const [row] = await snapshot.rows<{ body: string }>(FIND_TEXT, [hash]);
  return row?.body;
}

const FIND_TEXT = sqlText("select body from text where hash = ?");
