/** Packets on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { changedLines, PART_CHANGES } from "../../../kernel/operation/terminal-diff.ts";
import {
  blocks,
  clip,
  count,
  fieldLines,
  groupDigits,
  indent,
  manyLines,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../../kernel/operation/terminal-time.ts";
import type { sentPacket } from "./packet-send-operation.ts";
import type {
  compiledPacket,
  cutShape,
  ledgerShape,
  packetDetail,
  packetDiff,
  packetHead,
  packetList,
  packetWords,
  previewedPacket,
} from "./packet-shape.ts";

type Head = z.output<typeof packetHead>;
type Words = Pick<z.output<typeof packetWords>, "characters" | "tokens" | "budget" | "counts">;
type Cut = z.output<typeof cutShape>;
type Row = z.output<typeof ledgerShape>;

const MARKS: Readonly<Record<Head["status"], string>> = {
  drafted: "○ drafted",
  copied: "● copied",
  harvested: "✓ harvested",
  partially_harvested: "◐ partially harvested",
  abandoned: "– abandoned",
};

export function renderCompiled(packet: z.output<typeof compiledPacket>): string {
  const { packetId, promptText, cuts, openUrl } = packet;
  const id = shortId(packetId);
  return blocks(
    doneLine(`Packet ${id}: ${subjectOf(packet)}, for ${packet.targetLabel}.`),
    sizeLines(packet),
    cutLines(cuts),
    textBlock(promptText),
    [
      `Copy it: throughline packet copy ${id} | pbcopy${openUrl === undefined ? "" : `   (then ${openUrl})`}`,
      `Send it: throughline packet send ${id}`,
    ].join("\n"),
  );
}

export function renderPreview(packet: z.output<typeof previewedPacket>): string {
  return blocks(
    `A preview, not kept: ${subjectOf(packet)}, for ${packet.targetLabel}.`,
    sizeLines(packet),
    cutLines(packet.cuts),
    ledgerBlock(packet.ledger),
    textBlock(packet.promptText),
  );
}

export function renderPacketList(page: z.output<typeof packetList>): string {
  const { items, nextCursor, asOf } = page;
  if (items.length === 0)
    return "No packets yet. Compile one with `packet compile project NAME --intent generate_next_actions`.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "STATUS" },
    { title: "FROM", width: 40 },
    { title: "INTENT", width: 30, isSpare: true },
    { title: "FOR", isSpare: true },
    { title: "CHARACTERS", align: "right" as const, isSpare: true },
    { title: "ANSWER" },
    { title: "PROJECT", width: 20, isSpare: true },
    { title: "MADE" },
  ];
  const rows = items.map((packet) => [
    short(packet.id),
    MARKS[packet.status],
    `${packet.originType}: ${packet.title}`,
    packet.customIntent ?? packet.intent?.replaceAll("_", " ") ?? "",
    packet.targetTool,
    groupDigits(packet.characters),
    packet.hasAnswer ? "yes" : "",
    packet.projectName,
    timeAgo(packet.createdAt, asOf),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderPacket(detail: z.output<typeof packetDetail>): string {
  const { packet, promptText, cuts, ledger, answer, asOf } = detail;
  const by = packet.createdByName === undefined ? "" : ` by ${packet.createdByName}`;
  return blocks(
    `${MARKS[packet.status]}  ${packet.originType}: ${packet.title}`,
    fieldLines([
      ["id", packet.id],
      ["name", packet.name],
      ["project", packet.projectName ?? packet.projectId],
      ["intent", packet.customIntent ?? packet.intent],
      ["for", packet.targetTool],
      ["made", `${timeAgo(packet.createdAt, asOf)}${by}`],
      ["copied", packet.copiedAt === undefined ? undefined : timeAgo(packet.copiedAt, asOf)],
      ["answered", packet.answeredAt === undefined ? undefined : timeAgo(packet.answeredAt, asOf)],
      ["exchange", packet.exchangeId],
      ["hash", packet.hash],
      ["note", noteOf(detail)],
    ]),
    sizeLines(packet),
    cutLines(cuts),
    ledgerBlock(ledger),
    promptText === undefined ? undefined : textBlock(promptText),
    answer === undefined ? undefined : textBlock(answer, "answer"),
  );
}

export function renderSent(sent: z.output<typeof sentPacket>): string {
  const { packetId, runId, state, answer, reason } = sent;
  if (answer === undefined) {
    const why = reason === undefined ? "" : `: ${reason}`;
    return blocks(
      `No answer yet. The run is ${state}${why}`,
      `See what it needs: throughline inbox list\nLook at it:        throughline run show ${shortId(runId)}`,
    );
  }
  return blocks(
    manyLines(answer.trimEnd()),
    doneLine(`The answer is kept with packet ${shortId(packetId)}.`),
  );
}

export function renderDiff(diff: z.output<typeof packetDiff>): string {
  const { before, after, parts, lines, characters, asOf } = diff;
  const changed = parts.filter(({ change }) => change !== "same");
  const sign = characters > 0 ? "+" : "";
  return blocks(
    `${shortId(before.id)} (${timeAgo(before.createdAt, asOf)}) → ${shortId(after.id)} (${timeAgo(after.createdAt, asOf)}), ${sign}${groupDigits(characters)} characters`,
    changed.length === 0
      ? "They say the same."
      : changed
          .map(({ change, section: place, title, after: why }) => {
            const name = title === undefined ? place : `${place}: ${clip(title, 60)}`;
            const because = change === "removed" && why !== undefined ? `  (${why})` : "";
            return `${PART_CHANGES[change]} ${name}${because}`;
          })
          .join("\n"),
    changedLines(lines),
  );
}

function subjectOf(packet: {
  readonly title: string;
  readonly intentLabel?: string | undefined;
}): string {
  const { title, intentLabel } = packet;
  return intentLabel === undefined
    ? clip(title, 60)
    : `${clip(title, 60)}, ${clip(intentLabel, 60)}`;
}

function sizeLines({ characters, tokens, budget, counts }: Words): string {
  const size = `${groupDigits(characters)} of ${groupDigits(budget)} characters, ${count(tokens, "token")}`;
  const kinds = Object.entries(counts).map(([kind, { chosen, count: total, isMore }]) => {
    return `${kind} ${chosen} of ${groupDigits(total)}${isMore ? "+" : ""}`;
  });
  return kinds.length === 0 ? `${size}.` : `${size}: ${kinds.join(", ")}.`;
}

function cutLines(cuts: readonly Cut[]): string | undefined {
  const lost = cuts.filter(({ cause }) => cause === "budget");
  const lines = lost.map(({ section: place, title, from, to }) => {
    const name = title === undefined ? place : `${place}: ${clip(title, 60)}`;
    return to === 0
      ? `${name} (${count(from, "character")})`
      : `${name} (${groupDigits(to)} of ${count(from, "character")} shown)`;
  });
  return section("Cut to fit:", lines.join("\n"));
}

function ledgerBlock(ledger: readonly Row[]): string | undefined {
  const rows = ledger
    .filter(({ kind, outcome }) => kind !== undefined || outcome === "out")
    .map(({ outcome, section: place, title, score, why }) => [
      outcome === "in" ? "in" : "out",
      place,
      title ?? "",
      score === undefined ? "" : score.toFixed(2),
      why,
    ]);
  if (rows.length === 0) return undefined;
  const columns = [
    { title: "" },
    { title: "SECTION" },
    { title: "WHAT", width: 44 },
    { title: "SCORE", align: "right" as const },
    { title: "WHY", width: 60 },
  ];
  return indent(table(columns, rows), "");
}

function noteOf({ packet, isMasked }: z.output<typeof packetDetail>): string | undefined {
  if (packet.purgedAt !== undefined)
    return "The words were purged; the hash still proves what they were.";
  return isMasked ? "Passages that were redacted since are not shown." : undefined;
}

function textBlock(text: string, title = "prompt"): string {
  return `── ${title}, ${count(text.length, "character")}\n${manyLines(text)}\n──`;
}
