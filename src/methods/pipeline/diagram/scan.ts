/** Reading at a place: what was read and where it ends, or the fault that stops it. */

import { type Fault, nameCharacter } from "../../../kernel/base/text-position.ts";

export interface Read<Value> {
  readonly value: Value;
  readonly end: number;
}

export function isFault(result: object): result is Fault {
  return "code" in result && "message" in result;
}

export function fault(offset: number, message: string, hint?: string): Fault {
  return { code: "diagram_syntax", message, offset, ...(hint === undefined ? {} : { hint }) };
}

export function unexpected(text: string, offset: number, wanted: string, hint?: string): Fault {
  return fault(offset, `${wanted}, and there is ${nameOf(text, offset)}`, hint);
}

/** The whole match of a sticky pattern at a place. */
export function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

export function skip(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.length ?? 0);
}

/** Within a line. */
export const BLANKS = /[^\S\r\n]+/y;
/** Across lines. */
export const SPACE = /\s+/y;

function nameOf(text: string, offset: number): string {
  const character = text.charAt(offset);
  if (character === "") return "the end of the text";
  return character === "\n" || character === "\r"
    ? "the end of the line"
    : nameCharacter(text, offset);
}
