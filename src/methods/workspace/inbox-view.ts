/** The inbox on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortId, shortIds } from "../../kernel/operation/short-ids.ts";
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
} from "../../kernel/operation/terminal-text.ts";
import { momentText, timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { FormField } from "../../kernel/run/answer-form.ts";
import type { waitDetail, waitList } from "./inbox-shape.ts";

export function renderInbox({ items, total, nextCursor, asOf }: z.output<typeof waitList>): string {
  if (items.length === 0)
    return "Nothing waits for you. Runs that need a person show up here; `inbox list --all` shows other people's.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "ASKS", width: 52 },
    { title: "KIND", width: 18, isSpare: true },
    { title: "RUN", width: 32 },
    { title: "PROJECT", width: 18, isSpare: true },
    { title: "FOR", width: 16, isSpare: true },
    { title: "SINCE" },
    { title: "", width: 30 },
  ];
  const rows = items.map((wait) => [
    short(wait.id),
    wait.title,
    wait.kind.replaceAll("_", " "),
    `${wait.method}: ${oneLine(wait.runTitle)}`,
    wait.projectName,
    wait.assigneeName ?? "anybody",
    timeAgo(wait.createdAt, asOf),
    sideNote(wait, asOf),
  ]);
  return blocks(
    table(columns, rows),
    `${count(total, "entry", "entries")}. Look closer with \`inbox show ID\`, answer with \`inbox answer ID CHOICE\`.`,
    moreLine(nextCursor),
  );
}

export function renderEntry(detail: z.output<typeof waitDetail>): string {
  const { wait, runState, evidence, form, answer, mayAnswer, asOf } = detail;
  return blocks(
    `${wait.state === "open" ? "◆" : "✓"} ${oneLine(wait.title)}`,
    manyLines(wait.reason),
    fieldLines([
      ["id", wait.id],
      ["key", wait.key],
      ["kind", wait.kind.replaceAll("_", " ")],
      ["run", `${shortId(wait.runId)} ${wait.method}: ${oneLine(wait.runTitle)} (${runState})`],
      ["project", wait.projectName ?? wait.projectId],
      ["for", wait.assigneeName ?? wait.assigneeId ?? "anybody"],
      ["asked", `${timeAgo(wait.createdAt, asOf)}, version ${wait.version}`],
      [
        "snoozed",
        wait.snoozedUntil && wait.snoozedUntil > asOf
          ? `until ${momentText(wait.snoozedUntil)}`
          : undefined,
      ],
      [
        "deadline",
        wait.deadline === undefined
          ? undefined
          : `${timeAgo(wait.deadline, asOf)}, then it answers itself "${wait.onDeadline ?? ""}"`,
      ],
    ]),
    section("Evidence", evidence.map(evidenceText).join("\n")),
    section("Fill in", form.map(fieldText).join("\n")),
    answer === undefined ? howToAnswer(wait, form, mayAnswer) : answerText(answer, asOf),
  );
}

type Wait = z.output<typeof waitList>["items"][number];

function sideNote(wait: Wait, asOf: number): string {
  if (wait.snoozedUntil !== undefined && wait.snoozedUntil > asOf)
    return `asleep until ${momentText(wait.snoozedUntil)}`;
  return wait.deadline === undefined ? "" : `due ${timeAgo(wait.deadline, asOf)}`;
}

/** One line per fact; whatever is deeper stays JSON. */
function evidenceText(evidence: unknown): string {
  if (typeof evidence === "string") return manyLines(evidence);
  if (typeof evidence !== "object" || evidence === null || Array.isArray(evidence))
    return JSON.stringify(evidence);
  return fieldLines(
    Object.entries(evidence).map(([name, value]) => [
      name,
      typeof value === "string" ? manyLines(value) : JSON.stringify(value),
    ]),
  );
}

function fieldText({
  name,
  label,
  type,
  required,
  options,
  help,
  minimum,
  maximum,
}: FormField): string {
  const choices = options?.map(({ value }) => String(value)).join(" | ");
  const range =
    minimum === undefined && maximum === undefined ? "" : ` ${minimum ?? ""}–${maximum ?? ""}`;
  const head = `${name}  (${choices ?? type}${range}${required ? ", needed" : ""})`;
  const words = [label, help].filter((text) => text !== undefined && text !== name).join(". ");
  return words === "" ? head : `${head}\n${indent(clip(words, 100))}`;
}

function howToAnswer(wait: Wait, form: readonly FormField[], mayAnswer: boolean): string {
  if (wait.state === "expired") return "Its time was up before anybody answered.";
  if (wait.state === "cancelled") return "Its run ended before anybody answered.";
  const first = form[0];
  const fields = first === undefined ? "" : ` --fields ${first.name}=…`;
  const lines = wait.answers.map((answer, i) => {
    return `  inbox answer ${shortId(wait.id)} ${answer}${i === 0 ? fields : ""}`;
  });
  const lead = mayAnswer
    ? "Answer it with:"
    : "You may look but not answer. Whoever may answers it with:";
  return `${lead}\n${lines.join("\n")}`;
}

function answerText(
  answer: NonNullable<z.output<typeof waitDetail>["answer"]>,
  asOf: number,
): string {
  const fields = answer.fields === undefined ? undefined : JSON.stringify(answer.fields);
  return blocks(
    `Answered "${answer.choice}" by ${answer.byName ?? answer.by}, ${timeAgo(answer.at, asOf)}.`,
    fields === undefined || fields === "{}" ? undefined : clip(fields, 200),
    answer.note === undefined ? undefined : manyLines(answer.note),
  );
}
