/** Digests on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { blocks, manyLines, table } from "../../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../../kernel/operation/terminal-time.ts";
import type { digestDetail, digestFacts, digestList, madeDigest } from "./digest-shape.ts";
import { dayOf } from "./digest-text.ts";

export function renderMade(made: z.output<typeof madeDigest>): string {
  const { state, runId = "", digestId, text, reason } = made;
  if (state === "unchanged")
    return `${nothingHappened(made)} No model was asked, nothing was kept.`;
  if (text === undefined || digestId === undefined) {
    const why = reason === undefined ? "" : `: ${reason}`;
    return blocks(
      `The run is ${state}${why}`,
      `See what it needs: throughline inbox list\nLook at it:        throughline run show ${shortId(runId)}`,
    );
  }
  return blocks(
    readable(text),
    doneLine(
      `Kept as digest ${shortId(digestId)}. Show it again: throughline digest show ${shortId(digestId)}`,
    ),
  );
}

export function renderFacts(preview: z.output<typeof digestFacts>): string {
  if (preview.facts.length === 0) return nothingHappened(preview);
  return blocks(readable(preview.text), "A preview: no model was asked, nothing was kept.");
}

export function renderDigestList(page: z.output<typeof digestList>): string {
  const { items, nextCursor, asOf } = page;
  if (items.length === 0) return "No digests yet. Make one with `digest PROJECT --since 7d`.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "PROJECT", width: 30 },
    { title: "FROM" },
    { title: "TO" },
    { title: "DECIDED", align: "right" as const, isSpare: true },
    { title: "OPENED", align: "right" as const, isSpare: true },
    { title: "CLOSED", align: "right" as const, isSpare: true },
    { title: "BLOCKING", align: "right" as const, isSpare: true },
    { title: "MADE" },
  ];
  const rows = items.map(({ id, projectName, since, until, counts, createdAt }) => [
    short(id),
    projectName,
    dayOf(since),
    dayOf(until),
    String(counts.decided),
    String(counts.opened),
    String(counts.closed),
    String(counts.blocking),
    timeAgo(createdAt, asOf),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderDigest({ digest, text, isMasked }: z.output<typeof digestDetail>): string {
  if (text !== undefined) {
    const note = "Passages that were redacted since are not shown.";
    return blocks(readable(text), isMasked ? note : undefined);
  }
  const { projectName, since } = digest;
  if (!isMasked) return "Its text was pruned or purged; the hash still proves what it was.";
  return `It tells of something that was redacted since, so it is not shown.\nMake it anew: throughline digest ${JSON.stringify(projectName)} --since ${dayOf(since)}`;
}

function nothingHappened({
  projectName,
  since,
  until,
}: Pick<z.output<typeof madeDigest>, "projectName" | "since" | "until">): string {
  return `Nothing was decided, opened or closed in ${projectName} from ${dayOf(since)} to ${dayOf(until)}, and nothing blocks.`;
}

/** Full ids are for files; whoever types one needs only its beginning. */
function readable(text: string): string {
  const short = text.replaceAll(
    /\b(task|decision):([0-9a-f]{8}-[0-9a-f-]{27})/g,
    (_, type: string, id: string) => `${type} ${shortId(id)}`,
  );
  return manyLines(short.trimEnd());
}
