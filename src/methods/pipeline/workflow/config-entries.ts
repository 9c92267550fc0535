/**
 * Settings in comments: `%% @ID: {…}` on one line, or spread over lines between the markers
 * `%% === WORKFLOW_CONFIG ===` and `%% === END_CONFIG ===`. There `%% workflow: {…}` holds what
 * concerns the whole.
 */

import type { JsonObject } from "../../../kernel/base/json.ts";
import { findJsonFault } from "../../../kernel/base/json-fault.ts";
import { JSON_LIMITS } from "../../../kernel/base/safe-json.ts";
import type { Diagram, Span } from "../diagram/diagram.ts";
import { endOfJson } from "./json-text.ts";
import type { Finding } from "./workflow-problem.ts";

export interface ConfigEntry {
  /** `undefined` for the whole workflow. */
  readonly stepId: string | undefined;
  /** The id as it stands there, or the word `workflow`. */
  readonly name: Span;
  /** From its first `%%` to the end of its JSON. */
  readonly span: Span;
  readonly json: Span;
  /** The JSON with the comment signs blanked: character 0 stands at `json.start`, and so on. */
  readonly text: string;
  /** Absent when the JSON is broken. */
  readonly value: JsonObject | undefined;
}

export interface ConfigBlock {
  /** From the first `%%` to the end of the last line. */
  readonly span: Span;
  /** The closing marker. */
  readonly end: Span | undefined;
}

export interface ReadConfig {
  readonly entries: readonly ConfigEntry[];
  readonly blocks: readonly ConfigBlock[];
  readonly findings: readonly Finding[];
}

interface Line extends Span {
  readonly text: string;
  /** Whether only blanks stand between it and the comment before. */
  readonly follows: boolean;
}

interface Reading {
  readonly source: string;
  readonly entries: ConfigEntry[];
  readonly blocks: ConfigBlock[];
  readonly findings: Finding[];
}

const MARKER = /^%%[^\S\n]*=+[^\S\n]*(WORKFLOW_CONFIG|END_CONFIG)[^\S\n]*=+[^\S\n]*$/;
const ENTRY = /^%%[^\S\n]*@(?:step\(([^\s()]+)\)|([^\s{}]+?))[^\S\n]*:[^\S\n]*(?=\{|$)/;
/** An entry whose value is not even the beginning of an object. */
const LOOSE_ENTRY = /^%%[^\S\n]*@(?:step\(([^\s()]+)\)|([^\s:{}]+))[^\S\n]*:[^\S\n]*/;
const WHOLE = /^%%[^\S\n]*(workflow)[^\S\n]*:[^\S\n]*(?=\{|$)/;

export function readConfig(diagram: Diagram): ReadConfig {
  const { source } = diagram;
  const lines = commentLines(diagram);
  const reading: Reading = { source, entries: [], blocks: [], findings: [] };
  let opened: Line | undefined;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? { start: 0, end: 0, text: "", follows: false };
    const marker = MARKER.exec(line.text)?.[1];
    if (marker !== undefined) {
      opened = takeMarker(reading, marker, line, opened);
      at += 1;
      continue;
    }
    const match = opened === undefined ? singleEntry(line) : entryIn(line);
    let end = at + 1;
    while (opened !== undefined && match !== null && continues(lines[end])) end += 1;
    if (match !== null) addEntry(reading, lines.slice(at, end), match);
    else if (opened !== undefined) warnOfStray(reading, [line]);
    at = end;
  }
  if (opened !== undefined) leaveOpen(reading, opened, lines.at(-1) ?? opened);
  const { entries, blocks, findings } = reading;
  return { entries, blocks, findings };
}

function commentLines({ source, hidden, statements }: Diagram): Line[] {
  let statement = 0;
  let before = 0;
  return hidden.flatMap(({ kind, span: { start, end } }) => {
    if (kind !== "comment") return [];
    while ((statements[statement]?.span.start ?? Infinity) < before) statement += 1;
    const follows = (statements[statement]?.span.start ?? Infinity) >= start;
    before = end;
    return [{ start, end, text: source.slice(start, end), follows }];
  });
}

/** Outside a block a comment may mention anybody; only what opens an object is meant for us. */
function singleEntry({ text }: Line): RegExpExecArray | null {
  const match = ENTRY.exec(text);
  return match !== null && text.charAt(match[0].length) === "{" ? match : null;
}

function entryIn({ text }: Line): RegExpExecArray | null {
  return WHOLE.exec(text) ?? ENTRY.exec(text) ?? LOOSE_ENTRY.exec(text);
}

function continues(line: Line | undefined): boolean {
  return line?.follows === true && !MARKER.test(line.text) && entryIn(line) === null;
}

function takeMarker(
  reading: Reading,
  marker: string,
  line: Line,
  opened: Line | undefined,
): Line | undefined {
  if (marker === "WORKFLOW_CONFIG") {
    if (opened === undefined) return line;
    reading.findings.push(
      doubtful("config_block_nested", line, "The settings begin a second time"),
    );
    return opened;
  }
  if (opened === undefined) {
    const message = "Here settings end that never began";
    reading.findings.push(doubtful("config_block_unopened", line, message));
    return undefined;
  }
  reading.blocks.push({ span: { start: opened.start, end: line.end }, end: line });
  return undefined;
}

function leaveOpen(reading: Reading, opened: Line, last: Line): void {
  reading.blocks.push({ span: { start: opened.start, end: last.end }, end: undefined });
  const message = "The settings that begin here have no line %% === END_CONFIG ===";
  reading.findings.push(doubtful("config_block_unclosed", opened, message));
}

function addEntry(reading: Reading, lines: readonly Line[], match: RegExpExecArray): void {
  const [first, ...others] = lines;
  const last = lines.at(-1);
  if (first === undefined || last === undefined) return;
  const start = first.start + match[0].length;
  const region = withoutSigns(reading.source, { start, end: last.end }, others);
  const lead = region.length - region.trimStart().length;
  const text = region.slice(lead, endOfEntry(region, lead));
  const json = { start: start + lead, end: start + lead + text.length };
  const name = match[1] ?? match[2] ?? "";
  const nameStart =
    first.start + match[0].indexOf(name, match[1] === undefined ? 0 : match[0].indexOf("("));
  const stepId = WHOLE.test(first.text) ? undefined : name;
  reading.entries.push({
    stepId,
    name: { start: nameStart, end: nameStart + name.length },
    span: { start: first.start, end: json.end },
    json,
    text,
    value: readObject(reading, text, { offset: json.start, stepId, start: first.start }),
  });
  warnOfStray(
    reading,
    others.filter((line) => line.start >= json.end),
  );
}

function withoutSigns(source: string, region: Span, lines: readonly Line[]): string {
  const pieces: string[] = [];
  let from = region.start;
  for (const { start } of lines) {
    pieces.push(source.slice(from, start), "  ");
    from = start + "%%".length;
  }
  pieces.push(source.slice(from, region.end));
  return pieces.join("");
}

/** Behind the JSON; where something else follows in its line, or it is never closed, behind all. */
function endOfEntry(region: string, lead: number): number {
  const whole = region.trimEnd().length;
  const end = region.charAt(lead) === "{" ? endOfJson(region, lead) : undefined;
  if (end === undefined) return Math.max(whole, lead);
  const newline = region.indexOf("\n", end);
  const behind = region.slice(end, newline === -1 ? undefined : newline);
  return behind.trim() === "" ? end : end + behind.trimEnd().length;
}

function readObject(
  reading: Reading,
  text: string,
  entry: { readonly offset: number; readonly stepId: string | undefined; readonly start: number },
): JsonObject | undefined {
  const whose = entry.stepId === undefined ? "the workflow" : `"${entry.stepId}"`;
  const about = entry.stepId === undefined ? {} : { stepId: entry.stepId };
  const fault = text.startsWith("{")
    ? findJsonFault(text, JSON_LIMITS)
    : { message: "an object in braces is needed", offset: 0, hint: undefined };
  if (fault === undefined) return JSON.parse(text) as JsonObject;
  const hint = fault.hint ?? 'An entry looks like %% @A: { "stepType": "task" }.';
  const message = `The settings of ${whose} cannot be read: ${fault.message}.`;
  const offset = entry.offset + fault.offset;
  reading.findings.push({
    code: "config_invalid_json",
    severity: "error",
    message,
    hint,
    offset,
    ...about,
  });
  return undefined;
}

function warnOfStray(reading: Reading, lines: readonly Line[]): void {
  for (const line of lines) {
    if (line.text.replace(/^%+/, "").trim() === "") continue;
    const message = "This line between the settings belongs to none of them";
    const hint = "An entry begins with %% @ID: and an object in braces.";
    reading.findings.push(doubtful("config_stray_line", line, message, hint));
  }
}

function doubtful(code: string, line: Line, message: string, hint?: string): Finding {
  const advice = hint === undefined ? {} : { hint };
  return { code, severity: "warning", message: `${message}.`, offset: line.start, ...advice };
}
