/**
 * Text from outside on its way to a terminal: nothing in it may move the cursor, change colours, retitle the
 * window or reorder letters.
 */

import { stripVTControlCharacters } from "node:util";

/** Control characters except tab and line feed, and the marks that make text read differently from what it is. */
const UNSAFE = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function safeText(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(UNSAFE, "");
}

/** The same for one cell or one line. */
export function safeLine(text: string): string {
  return safeText(text)
    .replaceAll(/\s*\n\s*/g, " ⏎ ")
    .replaceAll("\t", " ");
}

/** JSON keeps the data whole, but writes what a terminal would act on as escapes. */
export function safeJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value ?? null, undefined, indent) ?? "null").replaceAll(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
