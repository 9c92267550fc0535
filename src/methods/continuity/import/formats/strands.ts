/**
 * One message of a source may hold several things: what was said, thinking, calls of tools and their results.
 * Each becomes a strand with a role of its own, so that readers can tell them apart.
 */

import type { MessageRole } from "../../../../kernel/store/noun-tables.ts";
import { storableText } from "../../../../kernel/store/storable-text.ts";
import type { ImportedMessage } from "../imported-conversation.ts";

export interface Strand {
  readonly role: MessageRole;
  readonly text: string;
}

/** Neighbours of one role become one message; the first keeps the source's id, the others get it with a number. */
export function toMessages(
  id: string,
  strands: readonly Strand[],
  at: number | undefined,
): readonly ImportedMessage[] {
  const joined: Strand[] = [];
  for (const { role, text: raw } of strands) {
    // As it will be stored: what comes back from there must compare equal.
    const text = storableText(raw);
    if (text.trim() === "") continue;
    const last = joined.at(-1);
    if (last?.role === role) joined[joined.length - 1] = { role, text: `${last.text}\n\n${text}` };
    else joined.push({ role, text });
  }
  return joined.flatMap(({ role, text }, index) =>
    piecesOf(text).map((content, piece) => ({
      id: index + piece === 0 ? id : `${id}/${index}${piece === 0 ? "" : `.${piece}`}`,
      role,
      content,
      ...(at === undefined ? {} : { at }),
    })),
  );
}

/** As much as one message may hold elsewhere in the product; what is longer goes on in the next. */
export const MESSAGE_CHARACTERS = 1_000_000;

function piecesOf(text: string): readonly string[] {
  if (text.length <= MESSAGE_CHARACTERS) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + MESSAGE_CHARACTERS);
    // A character of two units is not cut in half.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/** A code block that its own content cannot end. */
export function fenced(code: string, language = ""): string {
  const longest = Math.max(2, ...(code.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${/^[\w+#.-]{1,30}$/.test(language) ? language : ""}\n${code}\n${fence}`;
}

export function calling(name: string, input: unknown): string {
  const isText = typeof input === "string";
  const text = isText ? input : (JSON.stringify(input, null, 2) ?? "");
  return `Calls ${name || "a tool"}:\n${fenced(text, isText ? "" : "json")}`;
}

export function resulting(name: string | undefined, text: string, isError = false): string {
  const what = isError ? "Failure" : "Result";
  return `${what}${name ? ` of ${name}` : ""}:\n${text}`;
}

/** What cannot be kept as text is named where it stood. */
export function placeholder(
  what: string,
  ...facts: readonly (string | number | undefined)[]
): string {
  const known = facts.filter((fact) => fact !== undefined && fact !== "");
  return `[${[what, ...known].join(" · ")}]`;
}
