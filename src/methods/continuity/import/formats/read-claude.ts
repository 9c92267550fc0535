/** Claude's export: `conversations.json` with a flat list of messages that is a tree since edits are kept. */

import type { JsonObject } from "../../../../kernel/base/json.ts";
import type {
  ImportedConversation,
  ImportedMessage,
  ImportedThread,
} from "../imported-conversation.ts";
import type { Reading } from "../source-file.ts";
import { strandsOf } from "./content-blocks.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isFields,
  itemsOf,
  momentOf,
  textOf,
  titleFrom,
  wordsOf,
} from "./loose-fields.ts";
import type { RecordFormat } from "./read-each-record.ts";
import { newestLeaf, readTree } from "./read-tree.ts";
import { roleOf } from "./spoken-role.ts";
import { placeholder, type Strand, toMessages } from "./strands.ts";
import { idFromBeginning, summaryOf } from "./thread-summary.ts";

export const claudeRecords: RecordFormat = {
  source: "claude",
  standsAlone: true,
  isRecord: (value) => isFields(value) && Array.isArray(value["chat_messages"]),
  strange: "It is no conversation: it has no messages (`chat_messages`).",
  read: readConversation,
};

function readConversation(record: Fields, reading: Reading): ImportedConversation {
  const threads = threadsOf(record, reading);
  const { startedAt, firstWords } = summaryOf(threads);
  const updatedAt = momentOf(record["updated_at"]);
  const model = wordsOf(record["model"]);
  const details: JsonObject = {
    ...(model === undefined ? {} : { model: model.slice(0, 200) }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(record["is_starred"] === true ? { isStarred: true } : {}),
  };
  return {
    source: "claude",
    id: idOf(record["uuid"]) ?? idFromBeginning(threads),
    title: titleFrom(textOf(record["name"])) ?? titleFrom(firstWords) ?? "Untitled",
    startedAt: momentOf(record["created_at"]) ?? startedAt,
    details,
    threads,
  };
}

function threadsOf(record: Fields, reading: Reading): readonly ImportedThread[] {
  const messages = withIds(itemsOf(record["chat_messages"]), reading);
  const isTree = [...messages.values()].some((each) => wordsOf(each["parent_message_uuid"]));
  let previous: string | undefined;
  const nodes = [...messages].map(([id, message]) => {
    const parent = isTree ? textOf(message["parent_message_uuid"]) : previous;
    previous = id;
    return { id, parent };
  });
  const current = textOf(record["current_leaf_message_uuid"]) ?? "";
  const at = (id: string) => momentOf(messages.get(id)?.["created_at"]);
  const tools = new Map<string, string>();
  return readTree(
    {
      nodes,
      leaf: messages.has(current) ? current : newestLeaf(nodes, at),
      read: (id) => readMessage(id, messages.get(id) ?? {}, tools, reading),
      isSaid: () => true,
    },
    reading,
  );
}

/** Messages without an id, or with one that was used before, get one from their place. */
function withIds(items: readonly unknown[], { note }: Reading): ReadonlyMap<string, Fields> {
  const messages = new Map<string, Fields>();
  for (const [index, item] of items.entries()) {
    if (!isFields(item)) {
      note("message that is none left out");
      continue;
    }
    const id = idOf(item["uuid"]) ?? `message ${index}`;
    if (messages.has(id)) note("id used twice");
    messages.set(messages.has(id) ? `${id} (${index})` : id, item);
  }
  return messages;
}

function readMessage(
  id: string,
  message: Fields,
  tools: Map<string, string>,
  { note }: Reading,
): readonly ImportedMessage[] {
  const speaker = roleOf(message["sender"]);
  const at = momentOf(message["created_at"]);
  if (at === undefined && (message["created_at"] ?? null) !== null) note("wrong date left out");
  const blocks = strandsOf(message["content"], { speaker, note, tools });
  const text = wordsOf(message["text"]);
  // Some exports have the words only in `text`, others only in the blocks.
  const isSaid = blocks.some(({ text: words }) => words.trim() !== "");
  const said: readonly Strand[] = isSaid || text === undefined ? blocks : [{ role: speaker, text }];
  const strands = [...said, ...filesOf(message, speaker, note)];
  return [...toMessages(id, strands, at), ...attachmentsOf(id, message, at)];
}

function filesOf(message: Fields, role: Strand["role"], note: (name: string) => void) {
  const names = [...itemsOf(message["files"]), ...itemsOf(message["files_v2"])].map((file) => {
    const { file_name: name, file_kind: kind } = fieldsOf(file);
    return placeholder("file", textOf(name), textOf(kind));
  });
  return [...new Set(names)].map((text) => {
    note("file named, not kept");
    return { role, text };
  });
}

/** What was pasted or attached came with its text: it is kept, apart from what was said. */
function attachmentsOf(
  id: string,
  message: Fields,
  at: number | undefined,
): readonly ImportedMessage[] {
  return itemsOf(message["attachments"]).flatMap((attachment, index) => {
    const { file_name: name, file_type: type, extracted_content: content } = fieldsOf(attachment);
    const head = placeholder("attachment", textOf(name), textOf(type));
    const text = [head, wordsOf(content)].filter((part) => part !== undefined).join("\n\n");
    return toMessages(`${id}/attachment ${index}`, [{ role: "user", text }], at);
  });
}
