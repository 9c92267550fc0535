/** Exchanges on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../kernel/operation/short-ids.ts";
import { changedLines, PART_CHANGES } from "../../kernel/operation/terminal-diff.ts";
import {
  blocks,
  clip,
  count,
  fieldLines,
  groupDigits,
  indent,
  manyLines,
  money,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { spanText, timeAgo } from "../../kernel/operation/terminal-time.ts";
import { traceTable } from "./trace-view.ts";
import type {
  exchangeDetail,
  exchangeDiff,
  exchangeList,
  exchangeSummary,
} from "./exchange-shape.ts";

type Summary = z.output<typeof exchangeSummary>;

const OUTCOMES: Readonly<Record<Summary["outcome"], string>> = {
  open: "● open",
  answered: "✓ answered",
  failed: "✗ failed",
  lost: "✗ lost",
};

export function renderExchangeList(page: z.output<typeof exchangeList>): string {
  return exchangeTable(page, "This run has sent nothing to a model yet.");
}

export function renderEarlierExchanges(page: z.output<typeof exchangeList>): string {
  return exchangeTable(
    page,
    "This step was not asked before, in its run or an earlier one of that title.",
  );
}

function exchangeTable(
  { items, nextCursor, asOf }: z.output<typeof exchangeList>,
  none: string,
): string {
  if (items.length === 0) return none;
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "OUTCOME" },
    { title: "STEP", width: 30 },
    { title: "TRY", align: "right" as const, isSpare: true },
    { title: "MODEL", width: 30, isSpare: true },
    { title: "TOKENS", align: "right" as const, isSpare: true },
    { title: "COST", align: "right" as const },
    { title: "TOOK", align: "right" as const },
    { title: "SENT" },
    { title: "", width: 40 },
  ];
  const rows = items.map((exchange) => [
    short(exchange.id),
    OUTCOMES[exchange.outcome],
    exchange.item === undefined ? exchange.step : `${exchange.step} (${exchange.item})`,
    exchange.continuation === 0
      ? String(exchange.attempt)
      : `${exchange.attempt}+${exchange.continuation}`,
    exchange.model,
    tokensText(exchange),
    costText(exchange),
    exchange.finishedAt === undefined ? "" : spanText(exchange.finishedAt - exchange.createdAt),
    timeAgo(exchange.createdAt, asOf),
    exchange.failure ?? (exchange.loss === undefined ? "" : `read with repairs: ${exchange.loss}`),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderExchange(detail: z.output<typeof exchangeDetail>): string {
  const { exchange, asOf } = detail;
  const parts = traceTable(detail.trace);
  const took =
    exchange.finishedAt === undefined
      ? undefined
      : spanText(exchange.finishedAt - exchange.createdAt);
  return blocks(
    `${OUTCOMES[exchange.outcome]}  ${exchange.step}${exchange.item === undefined ? "" : ` (${exchange.item})`}`,
    exchange.failure,
    fieldLines([
      ["id", exchange.id],
      ["run", exchange.runId],
      ["model", exchange.model],
      ["contract", exchange.contract],
      ["try", `${exchange.attempt}, continuation ${exchange.continuation}`],
      ["sent", `${timeAgo(exchange.createdAt, asOf)}${took === undefined ? "" : `, took ${took}`}`],
      ["tokens", tokensText(exchange)],
      ["cost", costText(exchange)],
      ["stopped", detail.finish],
      ["prompt hash", detail.promptHash],
      [
        "trace",
        parts === undefined && detail.trace !== undefined ? "all of it with --json" : undefined,
      ],
      ["note", noteOf(detail)],
    ]),
    parts,
    ...detail.messages.map(({ role, text }) => textBlock(role, text)),
    detail.reply === undefined ? undefined : textBlock("reply", detail.reply),
    readingText(detail),
  );
}

export function renderExchangeDiff(diff: z.output<typeof exchangeDiff>): string {
  const { before, after, parts, lines, characters, isMasked, asOf } = diff;
  const nameOf = ({ id, createdAt }: Summary) => `${shortId(id)} (${timeAgo(createdAt, asOf)})`;
  const changed = parts.filter(({ change }) => change !== "same");
  return blocks(
    `${nameOf(before)} → ${nameOf(after)}, ${characters > 0 ? "+" : ""}${groupDigits(characters)} characters`,
    isMasked ? "What was redacted since is not shown." : undefined,
    changed
      .map(({ part, layer, change, after: why }) => {
        const because = change === "removed" && why !== undefined ? `  (${why})` : "";
        return `${PART_CHANGES[change]} ${part === layer ? part : `${layer}: ${part}`}${because}`;
      })
      .join("\n") || undefined,
    changedLines(lines) ?? "They say the same.",
  );
}

function textBlock(title: string, text: string): string {
  return `── ${title}, ${groupDigits(text.length)} characters\n${manyLines(text)}`;
}

function tokensText({ inputTokens, outputTokens, cachedTokens }: Summary): string {
  if (inputTokens === undefined && outputTokens === undefined) return "";
  const cached = cachedTokens ? ` (${groupDigits(cachedTokens)} cached)` : "";
  const amount = (tokens: number | undefined) => (tokens === undefined ? "?" : groupDigits(tokens));
  return `${amount(inputTokens)}${cached} → ${amount(outputTokens)}`;
}

function costText({ outcome, costMicroUsd, isCostEstimated }: Summary): string {
  if (outcome === "open") return "";
  if (costMicroUsd === undefined) return "unknown";
  return `${isCostEstimated ? "≈ " : ""}${money(costMicroUsd)}`;
}

function noteOf({ isPruned, isMasked }: z.output<typeof exchangeDetail>): string | undefined {
  if (isPruned) return "The words were pruned; the hashes still prove what they were.";
  return isMasked ? "What was redacted since is not shown." : undefined;
}

function readingText(detail: z.output<typeof exchangeDetail>): string | undefined {
  const { exchange, reading, isPruned } = detail;
  if (exchange.outcome !== "answered" || isPruned) return undefined;
  if (reading === undefined) return "── reading\nRead without a change.";
  const { repairs = [], problems = [] } = reading;
  const lines = [
    reading.failure === undefined
      ? `Accepted after ${count(repairs.length, "repair")}, ${lossText(reading.loss)}.`
      : `Not accepted: ${reading.failure.replace("_", " ")}.`,
    ...problems.map(({ path, message }) => `✗ ${path === "" ? "" : `${path}: `}${message}`),
    ...repairs.map(({ path, sentence, before, after }, i) => {
      const where = path === "" ? "" : `${path}: `;
      return `${i + 1}. ${where}${sentence}\n${indent(`${clip(before, 70)}  →  ${clip(after, 70)}`, "   ")}`;
    }),
  ];
  return `── reading\n${lines.join("\n")}`;
}

const LOSSES: Readonly<Record<string, string>> = {
  none: "none of which touched a value",
  syntactic: "of its syntax only",
  coerced: "some of which changed how a value is written",
  lossy: "and something was lost",
};

function lossText(loss: string | undefined): string {
  return LOSSES[loss ?? "none"] ?? loss ?? "";
}
