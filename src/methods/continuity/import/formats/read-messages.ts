/** Role and content as JSON Lines or JSON: a file is one conversation, or each of its values is one. */

import { readJsonLines } from "../bytes/read-json-lines.ts";
import { type JsonPiece, readJsonRecords } from "../bytes/read-json-records.ts";
import { faultAt } from "../bytes/record.ts";
import type { ImportedConversation, ImportedMessage } from "../imported-conversation.ts";
import { digestFile, type Reader, type Reading, type ReadPiece } from "../source-file.ts";
import {
  type Fields,
  idOf,
  isFields,
  momentOf,
  textOf,
  titleFrom,
  wordsOf,
} from "./loose-fields.ts";
import {
  conversationIdOf,
  isMessage,
  isMessageList,
  messagesOf,
  readMessageFields,
  readMessageList,
} from "./message-fields.ts";
import type { RecordFormat } from "./read-each-record.ts";
import { createThreadParts } from "./thread-parts.ts";
import { idFromBeginning, summaryOf } from "./thread-summary.ts";

/** Each value of the file holds a whole conversation. */
export const messageListRecords: RecordFormat = {
  source: "jsonl",
  standsAlone: false,
  isRecord: isMessageList,
  strange: "It is no conversation: it has no messages with a role and content.",
  read: readConversation,
};

function readConversation(record: Fields, reading: Reading): ImportedConversation {
  const threads = [readMessageList(messagesOf(record) ?? [], reading)];
  const { startedAt, firstWords } = summaryOf(threads);
  const model = wordsOf(record["model"]);
  const id = conversationIdOf(record) ?? idOf(record["id"]) ?? idOf(record["uuid"]);
  return {
    source: "jsonl",
    id: id ?? idFromBeginning(threads, reading.file.name),
    title:
      titleFrom(textOf(record["title"]) ?? textOf(record["name"])) ??
      titleFrom(firstWords) ??
      "Untitled",
    startedAt: momentOf(record["created_at"] ?? record["create_time"]) ?? startedAt,
    details: model === undefined ? {} : { model: model.slice(0, 200) },
    threads,
  };
}

/** Each value of the file is a message; those that name a conversation are sorted into it. */
export function messageStreamReader(within: "lines" | "list"): Reader {
  return (reading) => readMessageStream(reading, within);
}

async function* readMessageStream(
  reading: Reading,
  within: "lines" | "list",
): AsyncGenerator<ReadPiece, void> {
  const { file, note } = reading;
  const digest = await digestFile(reading, "jsonl");
  if (reading.isKnown(digest)) return yield { kind: "known", offset: 0, line: 1 };
  const parts = createThreadParts();
  const conversations = new Map<string, OpenConversation>();
  const tools = new Map<string, string>();
  const take = (isWhole: boolean): ReadPiece[] =>
    [...parts.take()].map(([key, thread], index, all) => {
      const conversation = conversations.get(key) ?? begin(key, thread.messages, file.name);
      conversations.set(key, conversation);
      const isLast = isWhole && index === all.length - 1;
      return {
        kind: "conversation",
        offset: 0,
        line: 1,
        conversation: {
          ...conversation,
          source: "jsonl",
          details: {},
          threads: [thread],
          ...(isLast ? { digest } : {}),
        },
      };
    });
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  for await (const piece of piecesOf(reading, within)) {
    if (piece.kind === "fault") yield piece;
    if (piece.kind !== "record") continue;
    if (!isMessage(piece.value)) {
      yield faultAt(piece, "record_strange", "It is no message: it lacks a role or content.");
      continue;
    }
    const key = conversationIdOf(piece.value) ?? "";
    const place = (counts.get(key) ?? 0) + 1;
    counts.set(key, place);
    const read = readMessageFields(piece.value, `#${place}`, { note, tools });
    const isTaken = read.some(({ id }) => seen.has(`${key} ${id}`));
    if (isTaken) note("id used twice");
    const said = isTaken ? read.map((each) => ({ ...each, id: `${each.id} (${place})` })) : read;
    for (const { id } of said) seen.add(`${key} ${id}`);
    parts.add(key, said);
    if (parts.isFull) yield* take(false);
  }
  yield* take(true);
}

function piecesOf(
  { file, limits }: Reading,
  within: "lines" | "list",
): AsyncGenerator<JsonPiece, void> {
  return within === "lines"
    ? readJsonLines(file.open(), { limits })
    : readJsonRecords(file.open(), { within, isRecord: isFields, limits });
}

type OpenConversation = Pick<ImportedConversation, "id" | "title" | "startedAt">;

function begin(
  key: string,
  messages: readonly ImportedMessage[],
  fileName: string,
): OpenConversation {
  const { startedAt, firstWords } = summaryOf([{ messages }]);
  return {
    id: key === "" ? idFromBeginning([{ messages }], fileName) : key,
    title: titleFrom(firstWords) ?? fileName,
    startedAt,
  };
}
