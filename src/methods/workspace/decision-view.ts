/** Decisions on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../kernel/operation/short-ids.ts";
import {
  blocks,
  fieldLines,
  manyLines,
  section,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { decisionDetail, decisionList } from "./decision-shape.ts";

export function renderDecisionList(page: z.output<typeof decisionList>): string {
  const { items, nextCursor, asOf } = page;
  if (items.length === 0)
    return "No decisions to show. Write one down with `decision add TITLE --content WHY`.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "DECIDED", width: 44 },
    { title: "WHY", width: 48, isSpare: true },
    { title: "PROJECT", width: 20, isSpare: true },
    { title: "MADE" },
    { title: "" },
  ];
  const rows = items.map((decision) => [
    short(decision.id),
    decision.title,
    decision.content,
    decision.projectName,
    timeAgo(decision.createdAt, asOf),
    decision.isInactive ? "at rest" : "",
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderDecision(detail: z.output<typeof decisionDetail>): string {
  const { decision, supersededBy, asOf } = detail;
  const by = detail.createdByName === undefined ? "" : ` by ${detail.createdByName}`;
  return blocks(
    `${decision.title}${decision.isInactive ? " (at rest)" : ""}`,
    fieldLines([
      ["id", decision.id],
      ["project", decision.projectName ?? decision.projectId],
      ["conversation", decision.conversationId],
      ["drawn from", decision.source && `${decision.source.type} ${decision.source.id}`],
      ["supersedes", decision.supersedesId],
      ["superseded by", supersededBy.map(({ id, title }) => `${shortId(id)} ${title}`).join(", ")],
      ["made", `${timeAgo(decision.createdAt, asOf)}${by}`],
      ["changed", `${timeAgo(decision.updatedAt, asOf)}, version ${decision.version}`],
    ]),
    section("Content", manyLines(decision.content)),
    section("Quote", manyLines(decision.source?.quote ?? "")),
  );
}
