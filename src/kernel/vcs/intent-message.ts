/** What a commit of an intent says: one line, and nothing of the prompt or the context, which belong to the session. */

import { ProductError } from "../base/errors.ts";

export const INTENT_TITLE = "intent:";

export const LONGEST_INTENT = 300;

export function renderIntent(what: string): string {
  return `${INTENT_TITLE} ${what}\n`;
}

/** The one line of an intent; undefined where a message is none, or says more than one line. */
export function parseIntent(message: string): string | undefined {
  const lines = message.replace(/\n+$/, "").split("\n");
  const [line = ""] = lines;
  const what = line.slice(INTENT_TITLE.length).trim();
  return lines.length === 1 && isIntent(message) && what !== "" ? what : undefined;
}

export function isIntent(message: string): boolean {
  return message.startsWith(INTENT_TITLE);
}

export type IntentFault = "empty" | "long" | "lines" | "prompt" | "context";

export interface SessionWords {
  readonly prompt: string;
  readonly context: string;
}

/** What is wrong with a line as an intent of a session with these words. */
export function findIntentFault(what: string, words: SessionWords): IntentFault | undefined {
  if (what.trim() === "") return "empty";
  if (/[\n\r\0]/.test(what)) return "lines";
  if (what.length > LONGEST_INTENT) return "long";
  if (/^\s*#{1,6}\s|\b(?:original prompt|agent context)\b|^\s*(?:prompt|context)\s*:/i.test(what))
    return "context";
  if (sharesRun(what, words.prompt)) return "prompt";
  return sharesRun(what, words.context) ? "context" : undefined;
}

const WHY: Readonly<Record<IntentFault, string>> = {
  empty: "An intent says in one line what was changed.",
  lines: "An intent is one line.",
  long: `An intent has at most ${LONGEST_INTENT} characters.`,
  prompt: "An intent does not repeat the prompt; the session's commit will hold it.",
  context: "An intent does not repeat the context; the session's commit will hold it.",
};

export function refuseIntent(what: string, words: SessionWords): void {
  const fault = findIntentFault(what, words);
  if (fault === undefined) return;
  throw new ProductError("intent_unfit", WHY[fault], {
    hint: "Say what this change does, such as: Read the settings once",
    details: { fault },
  });
}

/** Words that merely coincide are shorter than this. */
const LONGEST_COINCIDENCE = 60;

function sharesRun(text: string, source: string): boolean {
  const needle = plain(text);
  const hay = plain(source);
  for (let i = 0; i + LONGEST_COINCIDENCE <= needle.length; i++) {
    if (hay.includes(needle.slice(i, i + LONGEST_COINCIDENCE))) return true;
  }
  return hay.length >= 40 && needle.includes(hay);
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}
