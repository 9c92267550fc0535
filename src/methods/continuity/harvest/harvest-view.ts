/** Harvests on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import {
  blocks,
  clip,
  count,
  fieldLines,
  indent,
  manyLines,
  oneLine,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../../kernel/operation/terminal-time.ts";
import type {
  candidateShape,
  harvestDetail,
  harvestHead,
  harvestList,
  readHarvest,
  reviewedHarvest,
  undoneHarvest,
} from "./harvest-shape.ts";

type Head = z.output<typeof harvestHead>;
type Candidate = z.output<typeof candidateShape>;
type Made = NonNullable<Candidate["made"]>;

const MATCHES: Readonly<Record<Candidate["match"]["kind"], string>> = {
  new: "new",
  duplicate: "there already",
  update: "more of",
  contradicts: "contradicts",
};

const STATUSES: Readonly<Record<Candidate["status"], string>> = {
  proposed: "○ proposed",
  accepted: "✓ accepted",
  skipped: "– skipped",
};

const OUTCOMES: Readonly<Record<Made["outcome"], string>> = {
  created: "new",
  updated: "changed",
  superseded: "new, in place of another",
  linked: "was there already",
};

export function renderRead(read: z.output<typeof readHarvest>): string {
  const { harvest, candidates, isNew, review } = read;
  const id = shortId(harvest.id);
  const open = candidates.filter(({ status }) => status === "proposed");
  return blocks(
    doneLine(
      isNew
        ? `Harvest ${id}: ${count(candidates.length, "candidate")} out of ${subjectOf(harvest)}.`
        : `Harvest ${id}: this answer was read before; ${stateLine(harvest)}.`,
    ),
    adviceBlock(read.advice),
    noteLines(harvest),
    candidateTable(candidates),
    review === undefined ? undefined : acceptedLine(review.accepted),
    review === undefined ? undefined : lookAgainLines(review.lookAgain),
    open.length === 0 ? nothingLeft(harvest) : nextLines(harvest, open),
  );
}

export function renderHarvestList(page: z.output<typeof harvestList>): string {
  const { items, nextCursor, asOf } = page;
  if (items.length === 0) {
    return "No harvests yet. Read an answer with `harvest PACKET < answer.md`, or a conversation with `distill`.";
  }
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "STATE" },
    { title: "OUT OF", width: 44 },
    { title: "PROPOSED", align: "right" as const },
    { title: "ACCEPTED", align: "right" as const, isSpare: true },
    { title: "SKIPPED", align: "right" as const, isSpare: true },
    { title: "PROJECT", width: 20, isSpare: true },
    { title: "READ" },
  ];
  const rows = items.map((harvest) => [
    short(harvest.id),
    harvest.state,
    subjectOf(harvest),
    String(harvest.counts.proposed),
    String(harvest.counts.accepted),
    String(harvest.counts.skipped),
    harvest.projectName,
    timeAgo(harvest.createdAt, asOf),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

/** One candidate fills the screen where only one is shown. */
export function renderHarvest(detail: z.output<typeof harvestDetail>): string {
  const { harvest, candidates, asOf } = detail;
  const [only, second] = candidates;
  if (
    only !== undefined &&
    second === undefined &&
    harvest.counts.proposed + harvest.counts.accepted + harvest.counts.skipped > 1
  ) {
    return renderCandidate(only);
  }
  const by = harvest.createdByName === undefined ? "" : ` by ${harvest.createdByName}`;
  return blocks(
    `Harvest of ${subjectOf(harvest)}`,
    fieldLines([
      ["id", harvest.id],
      ["packet", harvest.packetName],
      ["conversation", harvest.conversationId],
      ["project", harvest.projectName ?? harvest.projectId],
      ["read", `${timeAgo(harvest.createdAt, asOf)}${by}`],
      ["state", stateLine(harvest)],
      ["taken back", harvest.undoneAt === undefined ? undefined : timeAgo(harvest.undoneAt, asOf)],
      ["note", harvest.purgedAt === undefined ? undefined : "Its words were purged."],
    ]),
    adviceBlock(detail.advice),
    noteLines(harvest),
    ...candidates.map(renderCandidate),
  );
}

export function renderReviewed(review: z.output<typeof reviewedHarvest>): string {
  const { harvest, accepted, skipped, lookAgain, candidates } = review;
  if (accepted.length + skipped.length + lookAgain.length === 0) {
    const open = candidates.filter(({ status }) => status === "proposed");
    return blocks(
      candidateTable(candidates),
      open.length === 0 ? nothingLeft(harvest) : nextLines(harvest, open),
    );
  }
  return blocks(
    acceptedLine(accepted),
    skipped.length === 0 ? undefined : `Skipped ${numbersOf(skipped)}.`,
    lookAgainLines(lookAgain),
    `The harvest is ${stateLine(harvest)}.${accepted.length === 0 ? "" : ` Take it back: throughline harvest undo ${shortId(harvest.id)}`}`,
  );
}

export function renderUndone(undone: z.output<typeof undoneHarvest>): string {
  const { harvest, takenBack, gone } = undone;
  const lines = takenBack
    .filter(({ outcome }) => outcome !== "linked")
    .map(({ outcome, type, id }) => `${type} ${shortId(id)}: ${UNDONE[outcome]}`);
  return blocks(
    doneLine(`Took back the harvest of ${subjectOf(harvest)}.`),
    lines.length === 0 ? undefined : indent(lines.join("\n")),
    gone.length === 0
      ? undefined
      : `Gone already: ${gone.map(({ type, id }) => `${type} ${shortId(id)}`).join(", ")}.`,
    `Its candidates can be reviewed again: throughline harvest review ${shortId(harvest.id)}`,
  );
}

const UNDONE: Readonly<Record<Made["outcome"], string>> = {
  created: "deleted",
  updated: "says again what it said",
  superseded: "deleted; the decision it replaced is in force again",
  linked: "left as it is",
};

export function renderCandidate(candidate: Candidate): string {
  const { number, type, title, text, match, quote, made, status } = candidate;
  const flags = [
    ...(candidate.isBlocker ? ["blocker"] : []),
    ...(candidate.isOpenLoop ? ["open loop"] : []),
  ].join(", ");
  const state = status === "proposed" ? "" : `   ${STATUSES[status]}`;
  return blocks(
    [
      `${number}. ${type}${flags === "" ? "" : ` (${flags})`}${state}`,
      ...(title === undefined ? [] : [indent(oneLine(title))]),
      ...(text === "" ? [] : [indent(manyLines(text), title === undefined ? "  " : "    ")]),
      indent(matchLine(match)),
      ...(match.diff ?? []).map(({ lines }) => indent(diffText(lines), "    ")),
      ...(isItsOwnQuote(candidate) ? [] : [indent(`“${clip(oneLine(quote.text), 160)}”`)]),
      ...(made === undefined
        ? []
        : [indent(`${OUTCOMES[made.outcome]}: ${made.type} ${shortId(made.id)}`)]),
    ].join("\n"),
  );
}

function matchLine({ kind, reason, title, id }: Candidate["match"]): string {
  const target = id === undefined ? "" : ` “${clip(oneLine(title ?? shortId(id)), 70)}”`;
  if (kind === "new") return id === undefined ? `new. ${reason}` : `new. ${reason}${target}`;
  return `${MATCHES[kind]}${target}. ${reason}`;
}

function diffText(lines: NonNullable<Candidate["match"]["diff"]>[number]["lines"]): string {
  const marks = { same: " ", added: "+", removed: "-" } as const;
  return lines
    .map(({ change, text }) => `${marks[change]} ${manyLines(text)}`.trimEnd())
    .join("\n");
}

/** Repeating the words below themselves would tell nothing. */
function isItsOwnQuote({ title, text, quote }: Candidate): boolean {
  const plain = (words: string) => words.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
  return plain(quote.text) === plain(`${title ?? ""}${text}`);
}

export function candidateTable(candidates: readonly Candidate[]): string {
  const columns = [
    { title: "", align: "right" as const },
    { title: "WHAT" },
    { title: "", width: 60 },
    { title: "MATCH" },
    { title: "WITH", width: 40 },
    { title: "STATUS" },
  ];
  const rows = candidates.map(({ number, type, title, text, match, status }) => [
    String(number),
    type,
    title ?? text,
    MATCHES[match.kind],
    match.title,
    STATUSES[status],
  ]);
  return table(columns, rows);
}

function subjectOf({ kind, title, packetName }: Head): string {
  return kind === "answer"
    ? `packet ${packetName ?? ""} “${clip(title, 40)}”`
    : `“${clip(title, 50)}”`;
}

function stateLine({ counts }: Head): string {
  return `${counts.accepted} accepted, ${counts.skipped} skipped, ${counts.proposed} to review`;
}

function acceptedLine(
  accepted: readonly (Made & { readonly number: number })[],
): string | undefined {
  if (accepted.length === 0) return undefined;
  const lines = accepted.map(
    ({ number, outcome, type, id }) => `${number}. ${type} ${shortId(id)}: ${OUTCOMES[outcome]}`,
  );
  return blocks(
    doneLine(`Accepted ${count(accepted.length, "candidate")}.`),
    indent(lines.join("\n")),
  );
}

function lookAgainLines(
  items: readonly { readonly number: number; readonly reason: string }[],
): string | undefined {
  const lines = items.map(({ number, reason }) => `${number}. ${reason}`).join("\n");
  return section("Not written, look again:", lines === "" ? undefined : lines);
}

function adviceBlock(advice: string | undefined): string | undefined {
  return section("It recommends:", advice && manyLines(clip(advice, 600)));
}

function noteLines({ notes }: Head): string | undefined {
  return section("About the reading:", notes.length === 0 ? undefined : notes.join("\n"));
}

export function nextLines(harvest: Head, open: readonly Candidate[]): string {
  const id = shortId(harvest.id);
  const [first, second] = open;
  const chosen = first === undefined ? "" : ` ${flagFor(first.choices[0])} ${first.number}`;
  const skipped = second === undefined ? "" : ` --skip ${second.number}`;
  return [
    `Review: throughline harvest review ${id}`,
    `   or:  throughline harvest review ${id}${chosen}${skipped}`,
    `   or:  throughline harvest accept-all ${id}`,
  ].join("\n");
}

function flagFor(choice: Candidate["choices"][number] | undefined): string {
  return choice === "keepBoth" ? "--keep-both" : `--${choice ?? "skip"}`;
}

function nothingLeft({ id, counts }: Head): string {
  return counts.accepted === 0
    ? "Nothing is left to review."
    : `Nothing is left to review. Take it back: throughline harvest undo ${shortId(id)}`;
}

function numbersOf(numbers: readonly number[]): string {
  return numbers.join(", ");
}
