/** Quoted texts inside paths and conditions: either quote, the escapes of JSON plus `\'`. */

import { type Fault, nameCharacter } from "./text-position.ts";

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Reads the literal whose opening quote stands at `start`; `end` is just behind the closing one. */
export function scanStringLiteral(
  text: string,
  start: number,
): { readonly value: string; readonly end: number } | Fault {
  const quote = text.charAt(start);
  let value = "";
  let plainFrom = start + 1;
  for (let at = plainFrom; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === quote) return { value: value + text.slice(plainFrom, at), end: at + 1 };
    if (character === "\n") break;
    if (character !== "\\") continue;
    const escape = scanEscape(text, at);
    if ("code" in escape) return escape;
    value += text.slice(plainFrom, at) + escape.value;
    plainFrom = escape.end;
    at = escape.end - 1;
  }
  return {
    code: "string_unclosed",
    message: `The text that begins here has no closing ${quote}`,
    offset: start,
  };
}

function scanEscape(text: string, start: number): { value: string; end: number } | Fault {
  const simple = ESCAPES.get(text.charAt(start + 1));
  if (simple !== undefined) return { value: simple, end: start + 2 };
  const digits = /^u([0-9a-fA-F]{4})/.exec(text.slice(start + 1, start + 6))?.[1];
  if (digits !== undefined) {
    return { value: String.fromCharCode(Number.parseInt(digits, 16)), end: start + 6 };
  }
  return {
    code: "string_escape_invalid",
    message: `A backslash cannot be followed by ${nameCharacter(text, start + 1)}`,
    offset: start,
    hint: 'Write \\\\ for a backslash; \\n, \\t, \\" and \\u0041 work as in JSON.',
  };
}

export function writeStringLiteral(value: string, quote: '"' | "'"): string {
  const json = JSON.stringify(value);
  return quote === '"'
    ? json
    : `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
