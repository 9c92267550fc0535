/** Finds values written as JSON inside a text, each beginning a line, so that they can be shown as what they are. */

import type { Json } from "../api/operation.ts";

export type TextPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: Json };

/** Shorter ones read well enough as they are. */
const SHORTEST = 40;

export function splitJson(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let begun = 0;
  let at = 0;
  while (at < text.length) {
    const start = nextOpening(text, at);
    if (start === undefined) break;
    const end = closingOf(text, start);
    const value = end === undefined ? undefined : read(text.slice(start, end));
    if (end === undefined || value === undefined || end - start < SHORTEST) {
      at = start + 1;
      continue;
    }
    pushText(pieces, text.slice(begun, start));
    pieces.push({ kind: "json", value });
    begun = end;
    at = end;
  }
  pushText(pieces, text.slice(begun));
  return pieces;
}

function nextOpening(text: string, from: number): number | undefined {
  const opening = /(?:^|\n)[ \t]*([[{])/g;
  opening.lastIndex = Math.max(0, from - 1);
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const start = found.index + found[0].length - 1;
    if (start >= from) return start;
  }
  return undefined;
}

/** Just behind the bracket that closes the one at `start`; strings are skipped. */
function closingOf(text: string, start: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      if (character === "\\") at += 1;
      else if (character === '"') isQuoted = false;
      continue;
    }
    if (character === '"') isQuoted = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function read(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function pushText(pieces: TextPiece[], text: string): void {
  if (text.trim() !== "") pieces.push({ kind: "text", text: text.trim() });
}
