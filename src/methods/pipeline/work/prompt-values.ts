/**
 * Values in prompts. A workflow's author and the people who run it give instructions; every value that
 * is filled in came from a model, a run's input or outsiders, and is data. So that prompts stay readable:
 *
 * - one word (a number, a path, an id, a branch) stands in the sentence as it is;
 * - one line of at most 120 characters stands in “quotation marks”;
 * - anything longer, over several lines, or structured stands fenced on lines of its own.
 *
 * After a label such as `**Title:**` one line of at most 200 characters needs no marks. No value can
 * open a place of its own or pass for one: two opening braces get a space between them.
 */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { lookUp, parsePath } from "../../../kernel/base/json-path.ts";
import { type MissingPlace, parseTemplate, renderTemplate } from "../../../kernel/base/template.ts";
import { cleanUntrusted } from "../../../kernel/prompt/clean-untrusted.ts";
import type { Piece, SourceRef } from "../../../kernel/prompt/part.ts";

/** A piece of a prompt; data that would not fit may know a better way to be shortened than a cut. */
export interface PromptPiece extends Piece {
  readonly shorten?: (characters: number) => string;
}

const LONGEST_QUOTED = 120;
const LONGEST_LABELLED = 200;
const WORD = /^[./@~#+-]{0,3}[\p{L}\p{N}_][^\s“”"<>`{}|\\]*$/u;

export interface FilledTemplate {
  readonly pieces: readonly PromptPiece[];
  /** Places that could not be filled; they stay in the text as they were written. */
  readonly unknownPaths: readonly MissingPlace[];
  /** Paths whose values stand in the text as fenced blocks. */
  readonly blocks: ReadonlySet<string>;
}

export function fillTemplate(text: string, scope: JsonObject, ref: SourceRef): FilledTemplate {
  const { text: filled, missing, spans } = renderTemplate(parseTemplate(text), scope);
  const pieces: PromptPiece[] = [];
  const blocks = new Set<string>();
  let at = 0;
  let isAfterBlock = false;
  const write = (words: string) => {
    if (words === "") return;
    const rest = words.replace(/^[ \t]+/, "");
    const next = /^[\n.,;:!?)]/.test(rest) ? rest : `\n${rest}`;
    pieces.push({ text: isAfterBlock ? next : words, ref });
    isAfterBlock = false;
  };
  for (const { path, start, end } of spans) {
    write(filled.slice(at, start));
    at = end;
    const line = inline(filled.slice(start, end));
    const source = { type: "value", id: path };
    if (line !== undefined) {
      pieces.push({ text: isAfterBlock ? ` ${line}` : line, ref: source });
      isAfterBlock = false;
      continue;
    }
    breakLine(pieces);
    pieces.push({ text: harmless(filled.slice(start, end)), ref: source, untrusted: path });
    blocks.add(path);
    isAfterBlock = true;
  }
  write(filled.slice(at));
  return { pieces, unknownPaths: missing, blocks };
}

/** What comes next begins on a line of its own. */
function breakLine(pieces: PromptPiece[]): void {
  const last = pieces.pop();
  if (last === undefined) return;
  if (last.untrusted !== undefined) pieces.push(last, { text: "\n" });
  else pieces.push({ ...last, text: last.text.replace(/[ \t]*\n?$/, "\n") });
}

/** A word, a quotation, or a block. */
export function valuePieces(value: Json, from: string, ref: SourceRef): readonly PromptPiece[] {
  const text = asText(value);
  const line = inline(text);
  if (line !== undefined) return [{ text: line, ref }];
  return [{ text: harmless(text), untrusted: from, ref }];
}

/** After a label: a line as it is, or a block below. */
export function labelledPieces(
  label: string,
  value: Json,
  from: string,
  ref: SourceRef,
): readonly PromptPiece[] {
  const text = asText(value);
  const isLine = text.length <= LONGEST_LABELLED && !/[\r\n\u2028\u2029]/.test(text);
  if (isLine && !isStructured(value)) {
    return [{ text: `**${label}:** ` }, { text: harmless(cleanUntrusted(text).text), ref }];
  }
  return [{ text: `**${label}:**\n` }, { text: harmless(text), untrusted: from, ref }];
}

function isStructured(value: Json): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** As templates write it. */
export function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function inline(written: string): string | undefined {
  const text = cleanUntrusted(written).text.trim();
  if (text.length > LONGEST_QUOTED || /[\r\n\u2028\u2029]/.test(text)) return undefined;
  if (WORD.test(text) || text === "[]") return text;
  return `“${harmless(text.replaceAll(/[“”]/g, '"'))}”`;
}

/** Templates are filled once, so this changes nothing for us; it keeps whoever comes next from filling again. */
export function harmless(text: string): string {
  return text.replaceAll(/\{(?=\{)/g, "{ ");
}

/** The value at a path of the scope, for what the prompt's context shows. */
export function valueAt(scope: JsonObject, path: string): Json | undefined {
  const found = lookUp(scope, parsePath(path));
  return found.found ? (found.value as Json) : undefined;
}
