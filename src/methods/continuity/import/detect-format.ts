/** Tells by its content what a file is; names say little, and exports are renamed, sharded and repacked. */

import { openByteWindow } from "./bytes/byte-window.ts";
import { type Fields, fieldsOf, isFields } from "./formats/loose-fields.ts";
import { isMessage, isMessageList } from "./formats/message-fields.ts";
import { chatgptRecords } from "./formats/read-chatgpt.ts";
import { claudeRecords } from "./formats/read-claude.ts";
import { readClaudeCode } from "./formats/read-claude-code.ts";
import { readCodex } from "./formats/read-codex.ts";
import { recordReader } from "./formats/read-each-record.ts";
import { messageListRecords, messageStreamReader } from "./formats/read-messages.ts";
import { readTranscript } from "./formats/read-transcript.ts";
import { sniffValues } from "./formats/sniff-values.ts";
import type { Source } from "./imported-conversation.ts";
import type { Reader, SourceFile } from "./source-file.ts";

export type Detected =
  | { readonly source: Source; readonly read: Reader }
  /** It holds no conversations, and why that is thought. */
  | { readonly source: undefined; readonly reason: string };

const LOOK_BYTES = 256 * 1024;

export async function detectFormat(file: SourceFile): Promise<Detected> {
  const head = await headOf(file);
  if (head.length === 0) return none("it is empty");
  if (isBinary(head)) return none("it is no text");
  const text = head
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .trimStart();
  if (text === "") return none("it is empty");
  if (text.startsWith("[") && !/^\[[^\]{["]{1,60}\]/.test(text)) return detectList(text);
  if (text.startsWith("{")) return detectObjects(text);
  if (/^<(?:!doctype|html|\?xml)/i.test(text)) return none("it is a page, not an export");
  return { source: "markdown", read: readTranscript };
}

/** A stray null character may be an accident; many are a picture or a program. */
function isBinary(head: Buffer): boolean {
  let nulls = 0;
  for (const byte of head.subarray(0, 8192)) if (byte === 0) nulls += 1;
  return nulls * 200 > Math.min(head.length, 8192);
}

function detectList(text: string): Detected {
  if (/^\[\s*\]/.test(text)) return none("its list is empty");
  const [first] = sniffValues(text.slice(1), 1);
  if (first === undefined) return none("it ends before its list begins");
  if (isFields(first["mapping"]))
    return { source: "chatgpt", read: recordReader(chatgptRecords, "list") };
  if (Array.isArray(first["chat_messages"]))
    return { source: "claude", read: recordReader(claudeRecords, "list") };
  if (isMessageList(first))
    return { source: "jsonl", read: recordReader(messageListRecords, "list") };
  if (isMessage(first)) return { source: "jsonl", read: messageStreamReader("list") };
  // The first element may be the broken one.
  if (/"mapping"\s*:\s*\{/.test(text))
    return { source: "chatgpt", read: recordReader(chatgptRecords, "list") };
  if (/"chat_messages"\s*:\s*\[/.test(text))
    return { source: "claude", read: recordReader(claudeRecords, "list") };
  return none(withKeys("its list holds no conversations", first));
}

/** One object or one on each line: what tells them apart is whether a second one follows. */
function detectObjects(text: string): Detected {
  const values = sniffValues(text, 30);
  const [first = {}] = values;
  if (values.some((value) => isCodex(value))) return { source: "codex", read: readCodex };
  if (values.some((value) => isClaudeCode(value)))
    return { source: "claude-code", read: readClaudeCode };
  const isLines = values.length > 1;
  const within = isLines ? "lines" : "whole";
  if (isFields(first["mapping"]))
    return { source: "chatgpt", read: recordReader(chatgptRecords, "whole") };
  if (Array.isArray(first["chat_messages"]))
    return { source: "claude", read: recordReader(claudeRecords, "whole") };
  const inner = innerList(first);
  if (!isLines && inner !== undefined) return inner;
  if (isMessageList(first))
    return { source: "jsonl", read: recordReader(messageListRecords, within) };
  if (values.some((value) => isMessage(value)))
    return { source: "jsonl", read: messageStreamReader("lines") };
  return none(withKeys("it holds no conversations", first));
}

/** `{"conversations": [ … ]}` around what is usually a bare list. */
function innerList(first: Fields): Detected | undefined {
  const list = first["conversations"];
  if (!Array.isArray(list)) return undefined;
  const within = { member: "conversations" };
  const inner = fieldsOf(list[0]);
  if (isFields(inner["mapping"]))
    return { source: "chatgpt", read: recordReader(chatgptRecords, within) };
  if (Array.isArray(inner["chat_messages"]))
    return { source: "claude", read: recordReader(claudeRecords, within) };
  return isMessageList(inner)
    ? { source: "jsonl", read: recordReader(messageListRecords, within) }
    : undefined;
}

function isCodex(value: Fields): boolean {
  const isWrapped = typeof value["type"] === "string" && isFields(value["payload"]);
  return (
    isWrapped ||
    value["record_type"] === "state" ||
    (typeof value["id"] === "string" && "instructions" in value && "timestamp" in value)
  );
}

function isClaudeCode(value: Fields): boolean {
  if (value["type"] === "summary") return "leafUuid" in value;
  if (value["type"] === "file-history-snapshot") return true;
  return "sessionId" in value && "parentUuid" in value && !("conversation_id" in value);
}

function withKeys(reason: string, value: Fields): string {
  const keys = Object.keys(value)
    .slice(0, 5)
    .map((key) => key.slice(0, 30));
  return keys.length === 0 ? reason : `${reason} (it has ${keys.join(", ")})`;
}

function none(reason: string): Detected {
  return { source: undefined, reason };
}

/** A file that turns out damaged may begin well; whoever reads it meets the damage and tells of it. */
async function headOf(file: SourceFile): Promise<Buffer> {
  const window = openByteWindow(file.open("look"));
  try {
    while (window.end < LOOK_BYTES && (await window.fill()));
  } catch (error) {
    if (window.end === 0) throw error;
  }
  return Buffer.from(window.bytes.subarray(0, LOOK_BYTES));
}
