/** The report of a session: a file that says what was asked, what was answered and what came of it. */

import { longestBacktickRun } from "./backtick-run.ts";
import type { ChangeScope, ReportKind } from "./session-tables.ts";

export interface ReportHead {
  readonly session: string;
  /** Never a commit's hash: the report is part of the commit. */
  readonly change: string;
  readonly chronos: string;
  readonly at: string;
  readonly kind: ReportKind;
  readonly scope: ChangeScope;
  readonly subject: string;
  readonly title: string;
}

export interface Report extends ReportHead {
  readonly prompt: string;
  readonly answer: string;
  readonly intents: readonly ReportedIntent[];
}

export interface ReportedIntent {
  readonly what: string;
  readonly change: string;
  readonly duplicate: string | undefined;
}

export function renderReport({ prompt, answer, intents, ...head }: Report): string {
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return [
    `---\n${lines.join("\n")}\n---`,
    `# ${oneLine(head.title)}`,
    `## Prompt\n\n${fenced(prompt)}`,
    `## Agent Answer\n\n${answer.trimEnd()}`,
    `## Logical Changes\n\n${intents.length === 0 ? "- none" : intents.map(intentLine).join("\n")}`,
  ]
    .join("\n\n")
    .concat("\n");
}

/** What a report says of itself; fields it does not have are left out. */
export function parseReportHead(text: string): Partial<Record<keyof ReportHead, string>> {
  const block = /^---\n([^]*?)\n---\n/.exec(text)?.[1];
  const fields: Partial<Record<keyof ReportHead, string>> = {};
  for (const line of block?.split("\n") ?? []) {
    const [, name, value] = /^(\w+): (".*")$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const text = parseText(value);
    if (text !== undefined) fields[name as keyof ReportHead] = text;
  }
  return fields;
}

function parseText(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function intentLine({ what, change, duplicate }: ReportedIntent): string {
  const kept = duplicate === undefined ? "" : `, squashed as \`${duplicate}\``;
  return `- ${oneLine(what)} (\`${change}\`${kept})`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ").trim();
}

/** A fence longer than any inside, so that the prompt ends where it ends. */
function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, longestBacktickRun(text) + 1));
  return `${fence}text\n${text}\n${fence}`;
}
