/**
 * Changes to settings, as changes of the text: members that stay the same stay as they are written,
 * and new ones are written as the others are, on lines of their own or on one line.
 */

import { canonicalJson, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import type { Diagram } from "../diagram/diagram.ts";
import {
  indentAt,
  insertAt,
  lineEndOf,
  lineStartOf,
  newlineOf,
  replace,
  type TextEdit,
} from "../diagram/text-edit.ts";
import { type ConfigEntry, readConfig } from "./config-entries.ts";
import { type JsonMember, membersAt } from "./json-text.ts";

/** For one step, or with `undefined` for the workflow; `undefined` as settings takes them away. */
export function setConfig(
  diagram: Diagram,
  stepId: string | undefined,
  config: JsonObject | undefined,
): TextEdit[] {
  const { entries, blocks } = readConfig(diagram);
  const entry = entries.find((each) => each.stepId === stepId);
  if (config === undefined) return entry === undefined ? [] : [deleteEntry(diagram, entry)];
  if (entry?.value !== undefined) return changeMembers(diagram, entry, entry.value, config);
  if (entry !== undefined) return [replace(entry.json, writeObject(diagram, config, entry))];
  const lines = newEntry(diagram, stepId, config);
  const block = blocks.at(-1);
  const newline = newlineOf(diagram.source);
  if (block?.end !== undefined) {
    const indent = indentAt(diagram.source, block.end.start);
    return [insertAt(block.end.start, `${lines.join(newline + indent)}${newline}${indent}`)];
  }
  const { source } = diagram;
  if (block !== undefined) return [insertAt(block.span.end, newline + lines.join(newline))];
  const gap = source === "" || /[\r\n]$/.test(source) ? newline : newline + newline;
  const all = ["%% === WORKFLOW_CONFIG ===", ...lines, "%% === END_CONFIG ===", ""];
  return [insertAt(source.length, gap + all.join(newline))];
}

const MOST_ON_ONE_LINE = 80;

function newEntry(diagram: Diagram, stepId: string | undefined, config: JsonObject): string[] {
  const name = stepId === undefined ? "workflow" : `@${stepId}`;
  const short = `%% ${name}: ${onOneLine(config)}`;
  if (short.length <= MOST_ON_ONE_LINE) return [short];
  const newline = newlineOf(diagram.source);
  return `${name}: ${overLines(config, newline)}`.split(newline).map((line) => `%% ${line}`);
}

function changeMembers(
  diagram: Diagram,
  entry: ConfigEntry,
  before: JsonObject,
  after: JsonObject,
): TextEdit[] {
  const members = membersAt(entry.text, 0);
  const kept = members.filter(({ key }) => Object.hasOwn(after, key));
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  if (kept.length === 0) return [replace(entry.json, writeObject(diagram, after, entry))];
  const style = styleOf(diagram, entry);
  const at = entry.json.start;
  return [
    ...kept.flatMap(({ key, valueSpan: { start, end } }) =>
      canonicalJson(before[key]) === canonicalJson(after[key])
        ? []
        : [replace({ start: at + start, end: at + end }, style.write(after[key] ?? null))],
    ),
    ...dropMembers(entry, members, kept),
    ...addMembers(entry, kept, added, after, style),
  ];
}

/** Each with the comma that no longer separates it. */
function dropMembers(
  entry: ConfigEntry,
  members: readonly JsonMember[],
  kept: readonly JsonMember[],
): TextEdit[] {
  const first = members.findIndex((member) => kept.includes(member));
  return members.flatMap((member, index) => {
    if (kept.includes(member)) return [];
    const start = index < first ? member.keySpan.start : (members[index - 1]?.valueSpan.end ?? 0);
    const end = index < first ? (members[index + 1]?.keySpan.start ?? 0) : member.valueSpan.end;
    return [replace({ start: entry.json.start + start, end: entry.json.start + end }, "")];
  });
}

function addMembers(
  entry: ConfigEntry,
  kept: readonly JsonMember[],
  added: readonly string[],
  after: JsonObject,
  style: Style,
): TextEdit[] {
  const last = kept.at(-1);
  if (last === undefined || added.length === 0) return [];
  const written = added.map(
    (key) => `,${style.separator}${writeString(key)}: ${style.write(after[key] ?? null)}`,
  );
  return [insertAt(entry.json.start + last.valueSpan.end, written.join(""))];
}

/** How the members of an entry are set apart, and how a value among them is written. */
interface Style {
  readonly separator: string;
  write(value: Json): string;
}

function styleOf(diagram: Diagram, entry: ConfigEntry): Style {
  const [first] = membersAt(entry.text, 0);
  if (first === undefined || !entry.text.slice(0, first.keySpan.start).includes("\n")) {
    return { separator: " ", write: (value) => onOneLine(value) };
  }
  const newline = newlineOf(diagram.source);
  const at = entry.json.start + first.keySpan.start;
  const prefix = diagram.source.slice(lineStartOf(diagram.source, at), at);
  return {
    separator: newline + prefix,
    write: (value) => overLines(value, newline).replaceAll(newline, newline + prefix),
  };
}

function writeObject(diagram: Diagram, config: JsonObject, entry: ConfigEntry): string {
  const newline = newlineOf(diagram.source);
  const isLong = entry.name.end - entry.span.start + onOneLine(config).length > MOST_ON_ONE_LINE;
  const isInBlock = entry.text.includes("\n") || isLong;
  if (!isInBlock || !standsInBlock(diagram, entry)) return onOneLine(config);
  const prefix = `${indentAt(diagram.source, entry.span.start)}%% `;
  return overLines(config, newline).replaceAll(newline, newline + prefix);
}

function standsInBlock(diagram: Diagram, entry: ConfigEntry): boolean {
  return readConfig(diagram).blocks.some(
    ({ span }) => span.start <= entry.span.start && entry.span.end <= span.end,
  );
}

/** With its lines, unless something else stands there. */
function deleteEntry({ source }: Diagram, { span }: ConfigEntry): TextEdit {
  const start = lineStartOf(source, span.start);
  const lineEnd = lineEndOf(source, span.end);
  const end = lineEnd + (/^\r?\n|^\r/.exec(source.slice(lineEnd, lineEnd + 2))?.[0].length ?? 0);
  return replace({ start, end }, "");
}

function onOneLine(value: Json): string {
  const spaced = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  return guarded(spaced);
}

function overLines(value: Json, newline: string): string {
  return guarded(JSON.stringify(value, null, 2)).replaceAll("\n", newline);
}

function writeString(text: string): string {
  return guarded(JSON.stringify(text));
}

/** Inside a comment mermaid would still take `%%{` for a directive. */
function guarded(json: string): string {
  return json.replaceAll("%%{", "%\\u0025{");
}
