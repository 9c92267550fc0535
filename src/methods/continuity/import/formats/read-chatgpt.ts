/** ChatGPT's export: `conversations.json` or its shards, each conversation a tree of messages. */

import type { JsonObject } from "../../../../kernel/base/json.ts";
import type {
  ImportedConversation,
  ImportedMessage,
  ImportedThread,
} from "../imported-conversation.ts";
import type { Reading } from "../source-file.ts";
import { chatgptStrands, isPersonalContext } from "./chatgpt-content.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isFields,
  momentOf,
  textOf,
  titleFrom,
  wordsOf,
} from "./loose-fields.ts";
import type { RecordFormat } from "./read-each-record.ts";
import { newestLeaf, readTree } from "./read-tree.ts";
import { roleOf } from "./spoken-role.ts";
import { toMessages } from "./strands.ts";
import { idFromBeginning, summaryOf } from "./thread-summary.ts";

export const chatgptRecords: RecordFormat = {
  source: "chatgpt",
  standsAlone: true,
  isRecord: (value) => isFields(value) && isFields(value["mapping"]),
  strange: "It is no conversation: it has no messages (`mapping`).",
  read: readConversation,
};

function readConversation(record: Fields, reading: Reading): ImportedConversation {
  const threads = threadsOf(record, reading);
  const { startedAt, firstWords } = summaryOf(threads);
  return {
    source: "chatgpt",
    id: idOf(record["conversation_id"]) ?? idOf(record["id"]) ?? idFromBeginning(threads),
    title: titleFrom(textOf(record["title"])) ?? titleFrom(firstWords) ?? "Untitled",
    startedAt: momentOf(record["create_time"]) ?? startedAt,
    details: detailsOf(record),
    threads,
  };
}

function threadsOf(record: Fields, reading: Reading): readonly ImportedThread[] {
  const mapping = new Map(Object.entries(fieldsOf(record["mapping"])));
  const messageOf = (id: string) => fieldsOf(mapping.get(id))["message"];
  const nodes = [...mapping].map(([id, node]) => ({
    id,
    parent: textOf(fieldsOf(node)["parent"]),
  }));
  const current = textOf(record["current_node"]) ?? "";
  const at = (id: string) => momentOf(fieldsOf(messageOf(id))["create_time"]);
  return readTree(
    {
      nodes,
      leaf: mapping.has(current) ? current : newestLeaf(nodes, at),
      read: (id) => readMessage(id, messageOf(id), reading),
      isSaid: (id) => isFields(messageOf(id)),
    },
    reading,
  );
}

function readMessage(id: string, message: unknown, { note }: Reading): readonly ImportedMessage[] {
  if (!isFields(message)) return [];
  if (isPersonalContext(message)) {
    note("personal instructions left out");
    return [];
  }
  const metadata = fieldsOf(message["metadata"]);
  const role = roleOf(fieldsOf(message["author"])["role"]);
  const isHidden =
    message["weight"] === 0 || metadata["is_visually_hidden_from_conversation"] === true;
  const strands = chatgptStrands(message, { role, note: isHidden ? () => undefined : note });
  const at = momentOf(message["create_time"]);
  const read = toMessages(idOf(id) ?? "", strands, at);
  // Every tree begins with an empty message of the system: nothing is lost with it.
  if (read.length === 0) return [];
  if (isHidden) {
    note("message that ChatGPT hides left out");
    return [];
  }
  if (at === undefined && (message["create_time"] ?? null) !== null) note("wrong date left out");
  return read;
}

function detailsOf(record: Fields): JsonObject {
  const model = wordsOf(record["default_model_slug"]);
  const assistant = wordsOf(record["gizmo_id"]) ?? wordsOf(record["conversation_template_id"]);
  const updatedAt = momentOf(record["update_time"]);
  return {
    ...(model === undefined ? {} : { model: model.slice(0, 200) }),
    ...(assistant === undefined ? {} : { assistant: assistant.slice(0, 200) }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(record["is_archived"] === true ? { isArchived: true } : {}),
    ...(record["is_starred"] === true ? { isStarred: true } : {}),
  };
}
