/**
 * Paths into JSON values: `output.files[0]["file name"].length`.
 *
 * Only what a value itself holds can be reached: own data properties of objects, entries of arrays,
 * and the length of arrays and strings. Prototypes and getters are never touched, and the names
 * that lead to prototypes are refused when the path is read.
 */

import { scanStringLiteral, writeStringLiteral } from "./string-literal.ts";
import { errorAt, type Fault, nameCharacter } from "./text-position.ts";

/** A number is an index, a string is a name. */
export type JsonPath = readonly (string | number)[];

export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

export type Lookup =
  | { readonly found: true; readonly value: unknown }
  | {
      readonly found: false;
      /** The path up to and including the first piece that is not there. */
      readonly missing: string;
      /** Why, as the middle of a sentence: `there is no "score" in output`. */
      readonly reason: string;
    };

const MAX_PATH_PARTS = 16;

const RESERVED_NAMES: ReadonlySet<string> = new Set(["__proto__", "prototype", "constructor"]);
const IDENTIFIER = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const WHOLE_IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const INDEX = /(?:0|[1-9][0-9]{0,14})(?=\])/y;

/** Names through which a value could reach code; never a path part, never a key of outside JSON. */
export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.has(name);
}

export function parsePath(text: string): JsonPath {
  const scanned = scanPath(text, 0);
  if ("code" in scanned) throw errorAt(text, scanned);
  if (scanned.end < text.length) throw errorAt(text, unexpected(text, scanned.end));
  return scanned.path;
}

/** Reads the longest path that begins at `start`. A fault is returned, since many are met at once. */
export function scanPath(
  text: string,
  start: number,
): { readonly path: JsonPath; readonly end: number } | Fault {
  const parts: (string | number)[] = [];
  let part = scanName(text, start);
  for (;;) {
    if ("code" in part) return part;
    if (typeof part.value === "string" && isReservedName(part.value)) return reserved(part);
    if (parts.length === MAX_PATH_PARTS) return tooLong(part);
    parts.push(part.value);
    const next = text.charAt(part.end);
    if (next === ".") part = scanName(text, part.end + 1);
    else if (next === "[") part = scanBracket(text, part.end);
    else return { path: parts, end: part.end };
  }
}

interface Part {
  readonly value: string | number;
  readonly start: number;
  readonly end: number;
}

function scanName(text: string, start: number): Part | Fault {
  IDENTIFIER.lastIndex = start;
  const value = IDENTIFIER.exec(text)?.[0];
  return value === undefined
    ? unexpected(text, start)
    : { value, start, end: start + value.length };
}

function scanBracket(text: string, open: number): Part | Fault {
  const start = open + 1;
  const first = text.charAt(start);
  if (first === '"' || first === "'") {
    const name = scanStringLiteral(text, start);
    if ("code" in name) return name;
    if (text.charAt(name.end) !== "]") return unexpected(text, name.end);
    return { value: name.value, start, end: name.end + 1 };
  }
  INDEX.lastIndex = start;
  const digits = INDEX.exec(text)?.[0];
  if (digits !== undefined) return { value: Number(digits), start, end: start + digits.length + 1 };
  return {
    code: "path_invalid",
    message: "Brackets hold a whole number from 0, or a quoted name",
    offset: start,
    hint: 'For example [0] or ["file name"].',
  };
}

function unexpected(text: string, offset: number): Fault {
  return {
    code: "path_invalid",
    message: `A path cannot have ${nameCharacter(text, offset)} here`,
    offset,
    hint: 'Paths look like output.files[0].path; other names go into ["…"].',
  };
}

function reserved(part: Part): Fault {
  return {
    code: "path_reserved",
    message: `"${part.value}" is no name a path may use`,
    offset: part.start,
    hint: "Rename the field in the data.",
    details: { name: part.value },
  };
}

function tooLong(part: Part): Fault {
  return {
    code: "path_too_long",
    message: `A path has at most ${MAX_PATH_PARTS} parts`,
    offset: part.start,
    hint: "Put the value closer to the top of the output.",
  };
}

export function printPath(path: JsonPath): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (!WHOLE_IDENTIFIER.test(part)) return `[${writeStringLiteral(part, '"')}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

export function lookUp(scope: unknown, path: JsonPath): Lookup {
  let value = scope;
  for (const [depth, part] of path.entries()) {
    const next = step(value, part);
    if (jsonTypeOf(next) === undefined) return absent(value, path.slice(0, depth), part);
    value = next;
  }
  return { found: true, value };
}

/** `undefined` for what JSON cannot hold: functions, symbols, big integers, absence itself. */
export function jsonTypeOf(value: unknown): JsonType | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" || type === "object"
    ? type
    : undefined;
}

function step(value: unknown, part: string | number): unknown {
  if (typeof value === "string") return part === "length" ? value.length : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && typeof part === "string" && part !== "length") return undefined;
  if (typeof part === "string" && isReservedName(part)) return undefined;
  // Reading through the descriptor instead of the property keeps own getters from running.
  return Object.getOwnPropertyDescriptor(value, part)?.value;
}

function absent(holder: unknown, path: JsonPath, part: string | number): Lookup {
  const name = printPath(path);
  const missing = printPath([...path, part]);
  const piece = typeof part === "number" ? `[${part}]` : `"${part}"`;
  if (path.length === 0) return { found: false, missing, reason: `there is no ${piece}` };
  const type = jsonTypeOf(holder);
  if (type === "object")
    return { found: false, missing, reason: `there is no ${piece} in ${name}` };
  if (type === "array" && Array.isArray(holder)) {
    return {
      found: false,
      missing,
      reason: `there is no ${piece} in ${name}, an array of ${holder.length}`,
    };
  }
  const what = type === "null" ? "null" : `a ${type}`;
  return { found: false, missing, reason: `${name} is ${what} and has no ${piece}` };
}
