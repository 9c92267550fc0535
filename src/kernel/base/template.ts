/**
 * Texts with `{{path}}` places. One pass: what is inserted is never looked at again, so a value
 * cannot bring places of its own. A place that cannot be filled stays in the text as it was
 * written, and is reported.
 */

import { describeError, ProductError } from "./errors.ts";
import { type JsonPath, lookUp, printPath, scanPath } from "./json-path.ts";
import type { TextPosition } from "./text-position.ts";

export interface Template {
  readonly parts: readonly TemplatePart[];
}

type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | (Braces & { readonly kind: "place"; readonly path: JsonPath })
  | (Braces & { readonly kind: "broken"; readonly reason: string });

interface Braces {
  /** As written, braces and spaces included. */
  readonly source: string;
  readonly position: TextPosition;
}

export interface RenderedTemplate {
  readonly text: string;
  readonly missing: readonly MissingPlace[];
  readonly spans: readonly TemplateSpan[];
}

export interface MissingPlace {
  /** The path, or what stands between the braces when that is no path. */
  readonly path: string;
  /** Where it stands in the template. */
  readonly position: TextPosition;
  readonly reason: string;
}

/** `text.slice(start, end)` of the rendered text is the value of `path`. */
export interface TemplateSpan {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

export const MAX_RENDERED_CHARACTERS = 16_000_000;

const NOT_A_PATH = "what stands between the braces is not a path";

/** Never fails: what looks like a place and is none becomes a `broken` part. */
export function parseTemplate(text: string): Template {
  const parts: TemplatePart[] = [];
  const positionAt = forwardPositions(text);
  let plainFrom = 0;
  for (let open = text.indexOf("{{"); open !== -1; ) {
    // Of `{{{name}}}` the inner braces are the place.
    if (text.charAt(open + 2) === "{") {
      open = text.indexOf("{{", open + 1);
      continue;
    }
    const part = readPlace(text, open, positionAt(open));
    if (open > plainFrom) parts.push({ kind: "text", text: text.slice(plainFrom, open) });
    parts.push(part);
    plainFrom = open + part.source.length;
    open = text.indexOf("{{", plainFrom);
  }
  if (plainFrom < text.length) parts.push({ kind: "text", text: text.slice(plainFrom) });
  return { parts };
}

/** The places of the template, each path once, in reading order. */
export function templatePaths(template: Template): JsonPath[] {
  const found = new Map<string, JsonPath>();
  for (const part of template.parts) {
    if (part.kind === "place") found.set(printPath(part.path), part.path);
  }
  return [...found.values()];
}

export function renderTemplate(template: Template, scope: unknown): RenderedTemplate {
  const pieces: string[] = [];
  const missing: MissingPlace[] = [];
  const spans: TemplateSpan[] = [];
  const write = rememberingWriter(scope);
  let length = 0;
  const add = (piece: string): void => {
    length += piece.length;
    if (length > MAX_RENDERED_CHARACTERS) throw tooLarge();
    pieces.push(piece);
  };
  for (const part of template.parts) {
    if (part.kind === "text") {
      add(part.text);
      continue;
    }
    const path = part.kind === "place" ? printPath(part.path) : contentOf(part.source);
    const written = part.kind === "place" ? write(part.path, path) : part;
    if ("text" in written) {
      spans.push({ path, start: length, end: length + written.text.length });
      add(written.text);
    } else {
      missing.push({ path, position: part.position, reason: written.reason });
      add(part.source);
    }
  }
  return { text: pieces.join(""), missing, spans };
}

function readPlace(text: string, open: number, position: TextPosition): TemplatePart & Braces {
  const closing = findClosing(text, open + 2);
  if (closing === undefined) return brokenPlace(text, open, position, NOT_A_PATH);
  const content = text.slice(open + 2, closing).trim();
  const scanned = scanPath(content, 0);
  const reason = "code" in scanned ? scanned.message : NOT_A_PATH;
  if ("code" in scanned || scanned.end < content.length) {
    return brokenPlace(text, open, position, reason);
  }
  return { kind: "place", source: text.slice(open, closing + 2), path: scanned.path, position };
}

/** Braces inside a quoted name do not close the place. */
function findClosing(text: string, start: number): number | undefined {
  let quote = "";
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\n") return undefined;
    if (quote !== "") {
      if (character === "\\") at += 1;
      else if (character === quote) quote = "";
      // A backslash outside quotes ends the search: it could make every later quote look escaped,
      // and each of many places would then be searched to the end of the text.
    } else if (character === "{" || character === "\\") return undefined;
    else if (character === '"' || character === "'") quote = character;
    else if (character === "}") return text.charAt(at + 1) === "}" ? at : undefined;
  }
  return undefined;
}

/** What stays visible ends with its own braces, or else before the next place or line. */
function brokenPlace(
  text: string,
  open: number,
  position: TextPosition,
  reason: string,
): TemplatePart & Braces {
  let end = open + 2;
  while (end < text.length && !endsBroken(text, end)) end += 1;
  const closed = text.startsWith("}}", end);
  return {
    kind: "broken",
    source: text.slice(open, closed ? end + 2 : end),
    position,
    reason: closed ? reason : "the braces are never closed",
  };
}

function endsBroken(text: string, at: number): boolean {
  const character = text.charAt(at);
  if (character === "\n") return true;
  return (character === "{" || character === "}") && text.charAt(at + 1) === character;
}

function contentOf(source: string): string {
  return source.replace(/^\{\{/, "").replace(/\}\}$/, "").trim();
}

/** Offsets must be asked for in rising order; the text is then counted through once. */
function forwardPositions(text: string): (offset: number) => TextPosition {
  let line = 1;
  let lineStart = 0;
  let newline = text.indexOf("\n");
  return (offset) => {
    while (newline !== -1 && newline < offset) {
      line += 1;
      lineStart = newline + 1;
      newline = text.indexOf("\n", lineStart);
    }
    return { offset, line, column: offset - lineStart + 1 };
  };
}

type Written = { readonly text: string } | { readonly reason: string };

/** A value that is inserted many times is written as JSON once. */
function rememberingWriter(scope: unknown): (path: JsonPath, name: string) => Written {
  const known = new Map<string, Written>();
  return (path, name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const lookup = lookUp(scope, path);
    const written = lookup.found ? writeValue(lookup.value) : { reason: lookup.reason };
    known.set(name, written);
    return written;
  };
}

function writeValue(value: unknown): Written {
  if (typeof value === "string") return { text: value };
  try {
    return { text: JSON.stringify(value, null, 2) };
  } catch (error) {
    // Cycles, big integers and bottomless nesting cannot come from JSON, but a scope is only `unknown`.
    return { reason: `the value cannot be written as JSON: ${describeError(error).message}` };
  }
}

function tooLarge() {
  return new ProductError(
    "template_too_large",
    `A rendered text has at most ${MAX_RENDERED_CHARACTERS} characters.`,
    { kind: "limit", hint: "Insert fewer or smaller values." },
  );
}
