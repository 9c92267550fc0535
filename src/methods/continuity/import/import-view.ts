/** Imports as people see them on a terminal. */

import type { z } from "zod";
import type { Progress } from "../../../kernel/operation/operation.ts";
import { moreLine } from "../../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import {
  blocks,
  bytesText,
  clip,
  count,
  fieldLines,
  groupDigits,
  oneLine,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import { spanText, timeAgo } from "../../../kernel/operation/terminal-time.ts";
import type { ImportProgress, ImportTotals } from "./import-progress.ts";
import type {
  ImportDetail,
  ImportResult,
  importList,
  ShownImport,
  ShownProblem,
} from "./import-shape.ts";
import { LEFT_BRANCH } from "./imported-conversation.ts";

/** The bar while it goes on. */
export function importProgressText(
  { bytesRead, conversations }: ImportProgress,
  { messagesAdded }: ImportTotals,
  {
    name,
    bytes,
    seconds,
  }: { readonly name: string; readonly bytes: number; readonly seconds: number },
): Progress {
  const rate = seconds > 0.5 ? `, ${bytesText(Math.round(bytesRead / seconds))}/s` : "";
  return {
    message: `Reading ${clip(name, 40)}`,
    done: Math.min(bytesRead, bytes),
    total: bytes,
    unit: "bytes",
    detail: `${count(conversations, "conversation")}, ${count(messagesAdded, "new message")}${rate}`,
  };
}

const SHOWN_PROBLEMS = 10;

export function renderImportResult(result: ImportResult): string {
  const { importId, state, name, progress, problems, tookMs, bytes } = result;
  const { conversations } = progress;
  const rate = tookMs > 500 ? `, ${bytesText(Math.round((bytes / tookMs) * 1000))}/s` : "";
  const took = `${bytesText(bytes)} in ${spanText(tookMs)}${rate}`;
  const isRead = conversations > 0 || progress.problems === 0;
  const read = isRead
    ? doneLine(`Imported ${clip(name, 60)}: ${count(conversations, "conversation")} (${took}).`)
    : `Nothing of ${clip(name, 60)} could be read (${took}).`;
  const head =
    state === "planned"
      ? `${clip(name, 60)} holds ${count(conversations, "conversation")} (${took}). Nothing was written.`
      : read;
  return blocks(
    head,
    isRead
      ? section(state === "planned" ? "Would come" : "Came in", countsText(result))
      : undefined,
    section("Files", filesText(progress)),
    section("Changed or left out on the way", notesText(progress)),
    section("Not read", skippedText(progress)),
    problemsSection(problems, progress, importId),
    progress.notes[LEFT_BRANCH] === undefined
      ? undefined
      : "With --branch all, branches that were left come as conversations of their own.",
    state === "planned"
      ? "Without --dry-run it is imported."
      : importId && `Look at it again: throughline import show ${shortId(importId)}`,
  );
}

export function renderImport({ import: shown, problems, changed, asOf }: ImportDetail): string {
  const { id, state, name, bytes, progress, projectId, branch, reason, startedAt, finishedAt } =
    shown;
  const short = shortIds(changed.map(({ conversationId }) => conversationId));
  return blocks(
    `${MARKS[state]} ${state}  ${clip(name, 60)}`,
    fieldLines([
      ["id", id],
      ["why", reason && oneLine(reason)],
      ["started", timeAgo(startedAt, asOf)],
      ["took", finishedAt === undefined ? undefined : spanText(finishedAt - startedAt)],
      ["read", `${bytesText(progress.bytesRead)} of ${bytesText(bytes)}`],
      ["branches", branch],
      ["project", projectId && shortId(projectId)],
    ]),
    section("Came in", countsText(shown)),
    section("Files", filesText(progress)),
    section("Changed or left out on the way", notesText(progress)),
    section("Not read", skippedText(progress)),
    problemsSection(problems, progress, undefined),
    section(
      "Conversations",
      changed.length === 0
        ? undefined
        : table(
            [
              { title: "ID" },
              { title: "TITLE", width: 50 },
              { title: "WHAT" },
              { title: "NEW", align: "right" },
              { title: "CHANGED", align: "right" },
            ],
            changed.map((each) => [
              short(each.conversationId),
              each.title,
              each.outcome,
              each.messagesAdded === 0 ? "" : groupDigits(each.messagesAdded),
              each.messagesEdited === 0 ? "" : groupDigits(each.messagesEdited),
            ]),
          ),
    ),
    ADVICE[state]?.(shortId(id)),
  );
}

export function renderImportList({ items, nextCursor, asOf }: z.output<typeof importList>): string {
  if (items.length === 0)
    return "Nothing was imported yet. Try: throughline import conversations.zip --dry-run";
  const short = shortIds(items.map(({ id }) => id));
  const rows = items.map((item) => [
    short(item.id),
    `${MARKS[item.state]} ${item.state}`,
    item.name,
    groupDigits(item.totals.added + item.totals.extended),
    groupDigits(item.totals.messagesAdded),
    item.progress.problems === 0 ? "" : groupDigits(item.progress.problems),
    timeAgo(item.startedAt, asOf),
  ]);
  return blocks(
    table(
      [
        { title: "ID" },
        { title: "STATE" },
        { title: "FILE", width: 40 },
        { title: "CONVERSATIONS", align: "right", isSpare: true },
        { title: "MESSAGES", align: "right" },
        { title: "PROBLEMS", align: "right", isSpare: true },
        { title: "STARTED" },
      ],
      rows,
    ),
    moreLine(nextCursor),
  );
}

const MARKS: Readonly<Record<ShownImport["state"], string>> = {
  running: "●",
  interrupted: "▮",
  completed: "✓",
  stopped: "–",
  failed: "✗",
};

const ADVICE: Readonly<Partial<Record<ShownImport["state"], (id: string) => string>>> = {
  running: (id) => `Stop it: throughline import stop ${id}`,
  interrupted: (id) =>
    `What came in stays. A running server goes on with it, or: throughline import resume ${id}`,
  stopped: (id) => `What came in stays. Go on: throughline import resume ${id}`,
  failed: (id) => `What came in stays. Try again: throughline import resume ${id}`,
};

function countsText({ totals, progress }: Pick<ShownImport, "totals" | "progress">): string {
  const { added, extended, edited, messagesAdded, messagesEdited } = totals;
  const number = (amount: number, one: string, more = "") =>
    amount === 0 ? undefined : `${count(amount, one)}${more}`;
  const told = [
    number(added, "new conversation"),
    number(extended, "conversation", " with new messages"),
    number(edited, "conversation", " with changed words only"),
    number(progress.unchanged, "conversation", " as before"),
    number(messagesAdded, "new message"),
    number(messagesEdited, "changed message", " (what came in first stays)"),
  ];
  return told.filter((line) => line !== undefined).join("\n") || "nothing new";
}

function filesText({ files, moreFiles }: ImportProgress): string | undefined {
  if (files.length < 2) return undefined;
  const shown = files.slice(0, 12);
  const rest = files.length - shown.length + moreFiles;
  const rows = shown.map((file) => [file.name, file.format, groupDigits(file.conversations)]);
  return blocks(
    table(
      [
        { title: "FILE", width: 60 },
        { title: "FORMAT" },
        { title: "CONVERSATIONS", align: "right", isSpare: true },
      ],
      rows,
    ),
    rest === 0 ? undefined : `and ${count(rest, "more file")}`,
  );
}

function notesText({ notes }: ImportProgress): string {
  return Object.entries(notes)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, amount]) => `${groupDigits(amount)} × ${oneLine(name)}`)
    .join("\n");
}

function skippedText({ skipped, moreSkipped }: ImportProgress): string {
  const shown = skipped.slice(0, SHOWN_PROBLEMS);
  const rest = skipped.length - shown.length + moreSkipped;
  const lines = shown.map(({ name, reason }) => `${clip(name, 60)}: ${oneLine(reason)}`);
  return [...lines, ...(rest === 0 ? [] : [`and ${count(rest, "more file")}`])].join("\n");
}

function problemsSection(
  problems: readonly ShownProblem[],
  { problems: total, conversations }: ImportProgress,
  importId: string | undefined,
): string | undefined {
  if (total === 0) return undefined;
  const shown = problems.slice(0, importId === undefined ? problems.length : SHOWN_PROBLEMS);
  const lines = shown.map(({ file, offset, line, message }) => {
    const place = [
      clip(file, 50),
      line === undefined ? undefined : `line ${groupDigits(line)}`,
      offset === undefined ? undefined : `byte ${offset}`,
    ];
    return `${place.filter((part) => part !== undefined).join(", ")}: ${oneLine(message)}`;
  });
  const rest = total - shown.length;
  return section(
    `${count(total, "record")} could not be read${conversations === 0 ? "" : "; the rest is in"}`,
    [...lines, ...(rest === 0 ? [] : [`and ${groupDigits(rest)} more`])].join("\n"),
  );
}
