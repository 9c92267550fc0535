/** Messages as most tools write them: somebody's role and some content, under one name or another. */

import type { ImportedMessage, ImportedThread } from "../imported-conversation.ts";
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
  wordsOf,
} from "./loose-fields.ts";
import { roleOf } from "./spoken-role.ts";
import { calling, type Strand, toMessages } from "./strands.ts";

/** A role and something said: that is enough to be a message. */
export function isMessage(value: unknown): value is Fields {
  return isFields(value) && roleWord(value) !== undefined && contentOf(value) !== undefined;
}

export function messagesOf(value: unknown): readonly unknown[] | undefined {
  const fields = fieldsOf(value);
  const list =
    fields["messages"] ?? fields["conversations"] ?? fields["conversation"] ?? fields["turns"];
  return Array.isArray(list) ? itemsOf(list) : undefined;
}

/** One conversation in one value: a list of messages under one of the names tools have for it. */
export function isMessageList(value: unknown): boolean {
  const messages = messagesOf(value);
  return messages !== undefined && messages.some((message) => isMessage(message));
}

export interface MessageContext extends Pick<Reading, "note"> {
  readonly tools: Map<string, string>;
}

/** `fallbackId` is used when the message has no id of its own. */
export function readMessageFields(
  value: unknown,
  fallbackId: string,
  context: MessageContext,
): readonly ImportedMessage[] {
  if (!isMessage(value)) {
    context.note("message that is none left out");
    return [];
  }
  const speaker = roleOf(roleWord(value));
  const strands = [
    ...strandsOf(contentOf(value), { speaker, ...context }),
    ...itemsOf(value["tool_calls"]).map((call): Strand => {
      const { name, arguments: input } = fieldsOf(fieldsOf(call)["function"]);
      return { role: "tool", text: calling(textOf(name) ?? "", input) };
    }),
  ];
  const given = timeOf(value);
  const at = momentOf(given);
  if (at === undefined && (given ?? null) !== null) context.note("wrong date left out");
  return toMessages(ownId(value) ?? fallbackId, strands, at);
}

/** Ids that stand twice in one conversation would hide a message; the second gets its place as well. */
export function readMessageList(
  messages: readonly unknown[],
  reading: Pick<Reading, "note">,
): ImportedThread {
  const tools = new Map<string, string>();
  const seen = new Set<string>();
  const said = messages.flatMap((message, index) => {
    const read = readMessageFields(message, `#${index + 1}`, { note: reading.note, tools });
    const isTaken = read.some(({ id }) => seen.has(id));
    if (isTaken) reading.note("id used twice");
    const own = isTaken ? read.map((each) => ({ ...each, id: `${each.id} (${index + 1})` })) : read;
    for (const { id } of own) seen.add(id);
    return own;
  });
  return { messages: said };
}

export function conversationIdOf(fields: Fields): string | undefined {
  return (
    idOf(fields["conversation_id"]) ??
    idOf(fields["conversationId"]) ??
    idOf(fields["session_id"]) ??
    idOf(fields["sessionId"]) ??
    idOf(fields["chat_id"]) ??
    idOf(fields["thread_id"])
  );
}

function roleWord(fields: Fields): string | undefined {
  return (
    wordsOf(fields["role"]) ??
    wordsOf(fields["sender"]) ??
    wordsOf(fields["from"]) ??
    wordsOf(fields["speaker"]) ??
    wordsOf(fields["author"]) ??
    wordsOf(fieldsOf(fields["author"])["role"])
  );
}

function contentOf(fields: Fields): unknown {
  const content = fields["content"] ?? fields["text"] ?? fields["value"] ?? fields["message"];
  if (content !== undefined && content !== null) return content;
  return itemsOf(fields["tool_calls"]).length > 0 ? "" : undefined;
}

function ownId(fields: Fields): string | undefined {
  return idOf(fields["id"]) ?? idOf(fields["uuid"]) ?? idOf(fields["message_id"]);
}

function timeOf(fields: Fields): unknown {
  return (
    fields["timestamp"] ??
    fields["created_at"] ??
    fields["createdAt"] ??
    fields["create_time"] ??
    fields["time"] ??
    fields["date"]
  );
}
