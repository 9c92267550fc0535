/** Highlights on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortIds } from "../../kernel/operation/short-ids.ts";
import { blocks, fieldLines, manyLines, table } from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { highlightDetail, highlightList } from "./highlight-shape.ts";

export function renderHighlightList(page: z.output<typeof highlightList>): string {
  const { items, nextCursor, asOf } = page;
  if (items.length === 0)
    return "No highlights to show. Keep a passage with `highlight add TEXT --label WORD`.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "LABEL", width: 20 },
    { title: "PASSAGE", width: 72 },
    { title: "PROJECT", width: 20, isSpare: true },
    { title: "MADE", isSpare: true },
    { title: "" },
  ];
  const rows = items.map((highlight) => [
    short(highlight.id),
    highlight.label,
    highlight.content,
    highlight.projectName,
    timeAgo(highlight.createdAt, asOf),
    highlight.isInactive ? "archived" : "",
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderHighlight(detail: z.output<typeof highlightDetail>): string {
  const { highlight, asOf } = detail;
  const by = detail.createdByName === undefined ? "" : ` by ${detail.createdByName}`;
  return blocks(
    manyLines(highlight.content),
    fieldLines([
      ["id", highlight.id],
      ["label", highlight.label],
      ["project", highlight.projectName ?? highlight.projectId],
      ["conversation", highlight.conversationId],
      ["message", highlight.messageId],
      ["span", highlight.span && `${highlight.span.start}–${highlight.span.end}`],
      ["drawn from", highlight.source && `${highlight.source.type} ${highlight.source.id}`],
      ["archived", highlight.isInactive ? "yes" : undefined],
      ["made", `${timeAgo(highlight.createdAt, asOf)}${by}`],
      ["changed", `${timeAgo(highlight.updatedAt, asOf)}, version ${highlight.version}`],
    ]),
  );
}
