/** Redactions on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { blocks, count, table } from "../../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../../kernel/operation/terminal-time.ts";
import type {
  addedRedactions,
  holdingList,
  purgedShape,
  redactionList,
  redactionShape,
} from "./redaction-shape.ts";

export function renderAdded(added: z.output<typeof addedRedactions>): string {
  const { redactions, holdings, purged } = added;
  const made = redactions.map((redaction) => doneLine(`Redacted ${whatOf(redaction)}.`));
  return blocks(
    made.join("\n"),
    purged === undefined ? undefined : renderPurged(purged),
    holdings === 0
      ? undefined
      : `${count(holdings, "thing", "things")} made before still ${holdings === 1 ? "holds" : "hold"} it: packets, harvests, artifacts, exchanges, runs. See them with \`redaction held\`, forget their words with \`redact --purge\`.`,
  );
}

export function renderPurged({
  packets,
  harvests,
  artifacts,
  exchanges,
  runs,
  open,
  repeats,
}: z.output<typeof purgedShape>): string {
  if (packets + harvests + artifacts + exchanges + runs + open + repeats === 0)
    return "Nothing kept holds what is redacted.";
  const forgotten = [
    [packets, "packet"],
    [harvests, "harvest"],
    [artifacts, "artifact"],
    [exchanges, "exchange"],
    [runs, "run"],
    [repeats, "kept answer"],
  ] as const;
  const parts = forgotten.flatMap(([number, noun]) => (number === 0 ? [] : [count(number, noun)]));
  return blocks(
    parts.length === 0
      ? undefined
      : doneLine(`Forgot the words of ${listed(parts)}; their hashes stay.`),
    open === 0
      ? undefined
      : `${count(open, "exchange or run is", "exchanges and runs are")} still under way: purge again when they are over.`,
  );
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

export function renderRedactionList(page: z.output<typeof redactionList>): string {
  const { items, nextCursor, asOf } = page;
  if (items.length === 0) return "Nothing is redacted.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "WHAT", width: 60 },
    { title: "REASON", width: 40, isSpare: true },
    { title: "PROJECT", width: 20, isSpare: true },
    { title: "BY", width: 20, isSpare: true },
    { title: "MADE" },
  ];
  const rows = items.map((redaction) => [
    short(redaction.id),
    whatOf(redaction),
    redaction.reason,
    redaction.projectName,
    redaction.createdByName,
    timeAgo(redaction.createdAt, asOf),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderHoldings({ holdings, isMore, asOf }: z.output<typeof holdingList>): string {
  if (holdings.length === 0) return "Nothing kept holds what is redacted.";
  const columns = [{ title: "WHAT" }, { title: "ID", width: 36 }, { title: "MADE" }, { title: "" }];
  const rows = holdings.map(({ kind, id, createdAt, isOpen }) => [
    kind,
    id,
    timeAgo(createdAt, asOf),
    isOpen ? "under way" : "",
  ]);
  return blocks(table(columns, rows), isMore ? "There are more." : undefined);
}

function whatOf({
  kind,
  conversationId,
  messageId,
  span,
}: z.output<typeof redactionShape>): string {
  if (kind === "conversation") return `conversation ${shortId(conversationId)}`;
  const message = `message ${shortId(messageId ?? "")}`;
  return span === undefined ? message : `characters ${span.start}–${span.end} of ${message}`;
}
