/** The user's turn that asks for more of a document: its rest, or all of it without its faults. */

import { continuationPoint, openJsonIn } from "../../../kernel/contract/continuation-point.ts";
import { formatPath } from "../../../kernel/contract/path.ts";
import type { Refused } from "../../../kernel/contract/reading.ts";
import type { Asked } from "../../../kernel/contract/reply-assembly.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { saying } from "./prompt-parts.ts";

const TAIL_LENGTH = 1_200;
const MOST_PROBLEMS = 40;

export interface MoreOf {
  readonly title: string;
  /** What is not there yet. */
  readonly missing: readonly string[];
  readonly text: string;
  readonly refusal: Refused;
}

export function askForMore(library: Library, asked: Asked, more: MoreOf): string {
  return asked === "continue" ? askForRest(library, more) : askAgain(library, more);
}

function askForRest(library: Library, { title, missing, text }: MoreOf): string {
  const point = continuationPoint(text);
  const open = openJsonIn(point.text)?.reading.open;
  const place = open === undefined ? "" : formatPath(open.path);
  const cursor =
    place === ""
      ? "at its outermost level."
      : open?.text === undefined
        ? `at \`${place}\`.`
        : `inside the text of \`${place}\`.`;
  const tail = point.text.slice(-TAIL_LENGTH).toWellFormed();
  return saying(library, "dialectic/prompts/continue.md", {
    document_title: title,
    cursor,
    tail: point.text.length > TAIL_LENGTH ? `…${tail}` : tail,
    mark: point.mark,
    anchor: point.anchor,
    missing: listOf(missing),
  }).text;
}

function askAgain(library: Library, { title, missing, refusal }: MoreOf): string {
  const shown = refusal.problems.slice(0, MOST_PROBLEMS).map(({ message }) => `- ${message}`);
  const rest = refusal.problems.length - shown.length;
  return saying(library, "dialectic/prompts/correct.md", {
    document_title: title,
    errors: [...shown, ...(rest > 0 ? [`- and ${rest} more of the same kind`] : [])].join("\n"),
    missing: listOf(missing),
  }).text;
}

function listOf(missing: readonly string[]): string {
  return missing.length === 0 ? "nothing that could be told from here." : `${missing.join(", ")}.`;
}
