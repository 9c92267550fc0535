/** Where a team stands, on a terminal: rounds by steps, what it made, what it says, what it waits for. */

import { shortId } from "../../../kernel/operation/short-ids.ts";
import {
  blocks,
  clip,
  count,
  fieldLines,
  groupDigits,
  indent,
  money,
  section,
  table,
} from "../../../kernel/operation/terminal-text.ts";
import type { StatusShape } from "../operations/team-fields.ts";
import { ROUND_STEPS } from "../state/team-records.ts";

const MARKS = { done: "✓", running: "●", skipped: "–", halted: "◆" } as const;
const STATUS_MARKS: Readonly<Record<StatusShape["status"], string>> = {
  draft: "○",
  bootstrapping: "●",
  ready: "○",
  running: "●",
  awaiting_user: "◆",
  paused: "▮",
  concluded: "✓",
  failed: "✗",
};

const SHOWN_MESSAGES = 6;

export function renderStatus(status: StatusShape): string {
  return blocks(
    fieldLines([
      ["Mission", clip(status.title, 90)],
      [
        "Status",
        `${STATUS_MARKS[status.status]} ${status.status.replace("_", " ")}${status.stop === null ? "" : `: ${status.stop.message}`}`,
      ],
      ["Round", roundWords(status)],
      ["Products", productWords(status)],
      [
        "Spent",
        `${count(status.turns, "turn")}, ${groupDigits(status.tokens)} tokens, ${money(status.costMicroUsd)}`,
      ],
    ]),
    section("Rounds", roundTable(status)),
    section("Members", memberTable(status)),
    section("Said to you", messageLines(status)),
    section("Waits for you", waitLines(status)),
    status.counts.refusals === 0
      ? undefined
      : section(`Refused by the gates (${status.counts.refusals})`, refusalLines(status)),
    nextLines(status),
  );
}

function roundWords({ round, roundsLeft, deadline }: StatusShape): string {
  const left = roundsLeft === null ? "" : `, ${roundsLeft} left`;
  return `${round}${left}${deadline === null ? "" : `, deadline ${deadline}`}`;
}

function productWords({ counts }: StatusShape): string {
  const { products, accepted, versions, comments, openComments } = counts;
  return `${accepted} of ${products} accepted; ${count(versions, "version")}, ${count(comments, "comment")}, ${openComments} open`;
}

function roundTable({ steps, round }: StatusShape): string {
  const rounds = Array.from({ length: round }, (_, place) => place + 1);
  const cell = (at: number, step: string) => {
    const found = steps.find((each) => each.round === at && each.step === step);
    if (found === undefined) return "·";
    return `${MARKS[found.state]}${found.calls > 1 ? ` ${found.calls}` : ""}${found.note.endsWith("refused") ? " !" : ""}`;
  };
  if (rounds.length === 0) {
    const bootstrap = steps.find(({ step }) => step === "bootstrap");
    return bootstrap === undefined ? "" : `${MARKS[bootstrap.state]} bootstrap`;
  }
  return table(
    [{ title: "" }, ...ROUND_STEPS.map((step) => ({ title: step.replace("_", " ") }))],
    rounds.map((at) => [`Round ${at}`, ...ROUND_STEPS.map((step) => cell(at, step))]),
  );
}

function memberTable({ members }: StatusShape): string {
  return table(
    [
      { title: "Id" },
      { title: "Name" },
      { title: "Role" },
      { title: "In the team", width: 34, isSpare: true },
      { title: "Owns", align: "right", isSpare: true },
      { title: "Pending", align: "right", isSpare: true },
    ],
    members.map(
      ({ id, name, role, teamRole, isPerson, ownedProductsCount, ownedPendingProductsCount }) => [
        id,
        isPerson ? `${name} (person)` : name,
        role,
        teamRole,
        role === "operative" ? String(ownedProductsCount) : "",
        role === "operative" ? String(ownedPendingProductsCount) : "",
      ],
    ),
  );
}

function messageLines({ messages, members }: StatusShape): string {
  const name = (id: string) => members.find((member) => member.id === id)?.name ?? id;
  const shown = messages.slice(-SHOWN_MESSAGES);
  const earlier = messages.length - shown.length;
  return [
    ...(earlier > 0 ? [`(${earlier} earlier)`] : []),
    ...shown.map(
      ({ round, speakerId, text, deltaIds }) =>
        `${round}  ${name(speakerId)}: ${clip(text, 100)} [${deltaIds.join(" ")}]`,
    ),
  ].join("\n");
}

function waitLines({ waits }: StatusShape): string {
  return waits
    .map(({ title, reason, answers, form }) =>
      [
        title,
        indent(clip(reason, 200)),
        ...form.map(({ name, label }) => indent(`${name}: ${label ?? ""}`)),
        indent(`Answers: ${answers.join(", ")}`),
      ].join("\n"),
    )
    .join("\n");
}

const SHOWN_REFUSALS = 5;

function refusalLines({ refusals }: StatusShape): string {
  return refusals
    .slice(-SHOWN_REFUSALS)
    .map(
      ({ round, step, memberId, place, code, message }) =>
        `${round}  ${step.replace("_", " ")} ${memberId} ${place}: ${clip(message, 90)} (${code})`,
    )
    .join("\n");
}

function nextLines({ runId, status, waits }: StatusShape): string {
  const id = shortId(runId);
  if (waits.some(({ kind }) => kind === "team.halt"))
    return `Answer: throughline team answer ${id} "…"`;
  if (waits.length > 0) return "Answer: throughline inbox list";
  if (status === "concluded")
    return `Read it: throughline team report ${id}\nGo on:   throughline team round ${id} --follow`;
  return `The tree: throughline team tree ${id}`;
}
