/** Conversations on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortIds } from "../../kernel/operation/short-ids.ts";
import {
  blocks,
  count,
  fieldLines,
  indent,
  manyLines,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { momentText, timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { conversationDetail, conversationList } from "./conversation-shape.ts";

export function renderConversationList(page: z.output<typeof conversationList>): string {
  const { items, nextCursor, asOf } = page;
  if (items.length === 0)
    return "No conversations yet. Bring some in with `import`, or write one down with `conversation add TITLE`.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "TITLE", width: 56 },
    { title: "FROM", width: 14, isSpare: true },
    { title: "SAID", align: "right" as const },
    { title: "HELD" },
    { title: "" },
  ];
  const rows = items.map((conversation) => [
    short(conversation.id),
    conversation.title,
    conversation.source,
    String(conversation.messageCount),
    timeAgo(conversation.startedAt, asOf),
    conversation.isInactive ? "archived" : "",
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderConversation(detail: z.output<typeof conversationDetail>): string {
  const { conversation, projects, messages, nextCursor, asOf } = detail;
  const said = messages.map(({ role, at, content }) => {
    const when = at === undefined ? "" : `, ${momentText(at)}`;
    return `${role}${when}\n${indent(manyLines(content))}`;
  });
  return blocks(
    `${conversation.title}${conversation.isInactive ? " (archived)" : ""}`,
    fieldLines([
      ["id", conversation.id],
      ["from", conversation.source],
      ["projects", projects.map(({ name }) => name).join(", ") || "none"],
      ["held", timeAgo(conversation.startedAt, asOf)],
      ["holds", count(conversation.messageCount, "message")],
    ]),
    ...said,
    moreLine(nextCursor),
  );
}
