/**
 * Finds the first thing wrong with a JSON text: broken grammar, a bound crossed, a key that is
 * reserved or written twice, a number no double can hold. Reads in one pass without recursion.
 */

import { isReservedName } from "./json-path.ts";
import { type Fault, nameCharacter } from "./text-position.ts";

export interface JsonShapeLimits {
  /** Arrays and objects inside each other. */
  readonly maxDepth: number;
  /** Values of every kind, containers included. */
  readonly maxNodes: number;
}

/** The keys met so far when it is an object. */
type Container = { readonly closing: "]" } | { readonly closing: "}"; readonly keys: Set<string> };

/** Where reading goes on, or what stops it. */
type Step = number | Fault;

export function findJsonFault(text: string, limits: JsonShapeLimits): Fault | undefined {
  const open: Container[] = [];
  let nodes = 0;
  let at = skipSpace(text, 0);
  for (;;) {
    nodes += 1;
    if (nodes > limits.maxNodes) return tooMany(at, limits.maxNodes);
    const character = text.charAt(at);
    const opens = character === "{" || character === "[";
    if (opens && open.length === limits.maxDepth) return tooDeep(at, limits.maxDepth);
    if (opens) open.push(character === "{" ? { closing: "}", keys: new Set() } : { closing: "]" });
    const next: Step | "done" = opens
      ? enter(text, at, open)
      : leave(text, scanScalar(text, at), open);
    if (next === "done") return undefined;
    if (typeof next !== "number") return next;
    at = next;
  }
}

/** From an opening bracket to the first value inside, or behind the container when it is empty. */
function enter(text: string, at: number, open: Container[]): Step | "done" {
  const first = skipSpace(text, at + 1);
  const container = open.at(-1);
  return container !== undefined && text.charAt(first) === container.closing
    ? leave(text, first, open)
    : toValue(text, first, container);
}

/** From behind a value (or at a closing bracket) to the next value. */
function leave(text: string, behind: Step, open: Container[]): Step | "done" {
  if (typeof behind !== "number") return behind;
  let at = skipSpace(text, behind);
  for (;;) {
    const container = open.at(-1);
    if (container === undefined) return at < text.length ? unexpected(text, at) : "done";
    const character = text.charAt(at);
    if (character === ",") return toValue(text, skipSpace(text, at + 1), container);
    if (character !== container.closing)
      return unexpected(text, at, `"," or "${container.closing}"`);
    open.pop();
    at = skipSpace(text, at + 1);
  }
}

function toValue(text: string, at: number, container: Container | undefined): Step {
  if (container === undefined || container.closing === "]") return at;
  if (text.charAt(at) !== '"') return unexpected(text, at, "a key in double quotes");
  const end = scanString(text, at);
  if (typeof end !== "number") return end;
  const key: string = JSON.parse(text.slice(at, end));
  if (isReservedName(key)) return reservedKey(key, at);
  if (container.keys.has(key)) return duplicateKey(key, at);
  container.keys.add(key);
  const colon = skipSpace(text, end);
  return text.charAt(colon) === ":" ? skipSpace(text, colon + 1) : unexpected(text, colon, '":"');
}

const SPACE = /[ \t\r\n]+/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function skipSpace(text: string, at: number): number {
  return at + lengthAt(SPACE, text, at);
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

function scanScalar(text: string, at: number): Step {
  if (text.charAt(at) === '"') return scanString(text, at);
  const word = lengthAt(WORD, text, at);
  if (word > 0) return at + word;
  const digits = lengthAt(NUMBER, text, at);
  if (digits === 0) return unexpected(text, at, "a value");
  const isFinite = Number.isFinite(Number(text.slice(at, at + digits)));
  return isFinite ? at + digits : outOfRange(at);
}

function scanString(text: string, start: number): Step {
  for (let at = start + 1; at < text.length; ) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character < " ")
      return invalid(
        at,
        `A string cannot hold ${nameCharacter(text, at)} as it is`,
        "Write line breaks as \\n and tabs as \\t.",
      );
    if (character !== "\\") {
      at += 1;
      continue;
    }
    const escape = lengthAt(ESCAPE, text, at);
    if (escape === 0)
      return invalid(at, "JSON does not know this escape", "Write \\\\ for a backslash.");
    at += escape;
  }
  return invalid(start, "The string that begins here is never closed");
}

function invalid(offset: number, message: string, hint?: string): Fault {
  return { code: "json_invalid", message, offset, ...(hint === undefined ? {} : { hint }) };
}

function unexpected(text: string, offset: number, wanted?: string): Fault {
  const found = nameCharacter(text, offset);
  return invalid(
    offset,
    wanted === undefined
      ? `The JSON ends before ${found}`
      : `JSON needs ${wanted} here, and there is ${found}`,
    adviceAbout(text.charAt(offset), wanted),
  );
}

function adviceAbout(character: string, wanted: string | undefined): string | undefined {
  if (character === "") return "The text stops too early; was it cut?";
  if (character === "'") return "JSON strings stand in double quotes.";
  if (character === "/" || character === "#") return "JSON has no comments.";
  if ((character === "}" || character === "]") && wanted?.startsWith("a "))
    return "A comma may not stand before a closing bracket.";
  return character === "\ufeff" ? "Save the file without a byte order mark." : undefined;
}

function tooMany(offset: number, maxNodes: number): Fault {
  return {
    code: "json_too_many_values",
    message: `The JSON holds more than ${maxNodes} values`,
    offset,
    hint: "Split it, or send only what is needed.",
  };
}

function tooDeep(offset: number, maxDepth: number): Fault {
  return {
    code: "json_too_deep",
    message: `The JSON is nested deeper than ${maxDepth} levels`,
    offset,
    hint: "Flatten the data.",
  };
}

function reservedKey(key: string, offset: number): Fault {
  return {
    code: "json_reserved_key",
    message: `The key "${key}" is not accepted`,
    offset,
    hint: "Rename the field.",
    details: { key },
  };
}

function duplicateKey(key: string, offset: number): Fault {
  return {
    code: "json_duplicate_key",
    message: `The key ${JSON.stringify(key)} stands twice in one object`,
    offset,
    hint: "Keep one of them.",
    details: { key },
  };
}

function outOfRange(offset: number): Fault {
  return {
    code: "json_number_out_of_range",
    message: "This number is too large",
    offset,
    hint: "Write it as a string.",
  };
}
