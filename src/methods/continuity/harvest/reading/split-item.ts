/** What an item of a list says first and what it says more: `**Rename the table**: before the importer ships`. */

import { truncateText } from "../../../../kernel/prompt/truncate-text.ts";

export interface SplitItem {
  /** The words before a colon, a dash, or in bold. */
  readonly lead: string | undefined;
  readonly rest: string;
}

export function splitLead(head: string): SplitItem {
  const line = oneLine(head);
  const bold = /^(\*\*|__)((?:(?!\1).)+)\1(.*)$/su.exec(line);
  if (bold !== null) {
    const [, , lead = "", after = ""] = bold;
    const isLead =
      after.trim() === "" || /^\s*[:：.–—,-]/.test(after) || /[:：.!?。]\s*$/.test(lead);
    if (isLead) {
      return {
        lead: cleaned(lead).replace(/\s*[:：.]$/, ""),
        rest: cleaned(after.replace(/^\s*[:：.–—,-]+\s*/, "")),
      };
    }
  }
  const plain = cleaned(line);
  const [, lead, rest] =
    /^(.{2,80}?)(?:\s*：\s*|\s*:\s+|\s+[–—]\s+|\s+-\s+)(\S.*)$/su.exec(plain) ?? [];
  if (lead === undefined || rest === undefined || /[.!?]\s/.test(lead) || isUnclosed(lead)) {
    return { lead: undefined, rest: plain };
  }
  return { lead, rest };
}

export interface Titled {
  readonly title: string;
  readonly body: string;
}

const LONGEST_TITLE = 200;

/** The lead, else the first sentence. A title that would be too long stands whole in the body. */
export function toTitled(head: string, details: string): Titled {
  const { lead, rest } = splitLead(head);
  const whole = { title: lead ?? rest, body: lead === undefined ? "" : rest };
  const { title, body } = lead === undefined ? firstSentence(rest) : whole;
  const name = title.replace(/(?<![.])\.$/, "");
  if (name.length <= LONGEST_TITLE) return { title: name, body: joined(body, details) };
  return {
    title: truncateText(name, LONGEST_TITLE),
    body: joined(lead === undefined ? rest : `${lead}: ${rest}`, details),
  };
}

export interface Labelled {
  readonly label: string | undefined;
  readonly content: string;
}

const LONGEST_LABEL = 60;

export function toLabelled(head: string, details: string): Labelled {
  const { lead, rest } = splitLead(head);
  if (lead === undefined) return { label: undefined, content: joined(rest, details) };
  if (rest === "" && details === "") return { label: undefined, content: lead };
  if (lead.length > LONGEST_LABEL) {
    return { label: undefined, content: joined(joined(lead, rest), details) };
  }
  return { label: lead, content: joined(rest, details) };
}

/** Also keeps the patterns quick: they look back over white space. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Without marks of bold text, and without the marks by which chat tools point at their sources. Code stays as it is. */
export function cleaned(text: string): string {
  return unmarked(text)
    .replace(/^\[[ xX]?\]\s+/, "")
    .trim();
}

/** `2**10` is no bold text, and neither is `__init__` in the middle of a name. */
const BOLD =
  /(?<![\p{Script=Latin}\p{N}_])(\*\*|__)(?=\S)((?:(?!\1).){1,2000}?)(?<=\S)\1(?![\p{Script=Latin}\p{N}_])/gu;
const SOURCES = /【[^】]{0,80}†[^】]{0,80}】|\[\^\d{1,3}\]/gu;

function unmarked(text: string): string {
  const codes: string[] = [];
  const covered = text.replaceAll(/`[^`]*`/g, (code) => `\uE000${codes.push(code) - 1}\uE001`);
  return covered
    .replaceAll(BOLD, "$2")
    .replaceAll(SOURCES, "")
    .replaceAll(/\uE000(\d+)\uE001/g, (mark, at: string) => codes[Number(at)] ?? mark);
}

/** Lines under an item, moved to the left as far as all of them go. */
export function dedented(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.replaceAll("\t", "    ").trimEnd());
  while (lines[0]?.trim() === "") lines.shift();
  const indents = lines.filter(Boolean).map((line) => line.length - line.trimStart().length);
  const least = Math.min(...indents, Infinity);
  return lines
    .map((line) => unmarked(line.slice(Math.min(least, line.length))).trimEnd())
    .join("\n")
    .trim();
}

function firstSentence(text: string): Titled {
  const [, spaced, unspaced] =
    /^(?:(.{8,}?[.!?])\s+(?=[\p{Lu}\p{N}"“(])|(.{4,}?[。！？])(?=\S))/su.exec(text) ?? [];
  const first = spaced ?? unspaced;
  if (first === undefined) return { title: text, body: "" };
  return { title: first.replace(/。$/, ""), body: text.slice(first.length).trim() };
}

function joined(first: string, second: string): string {
  return [first, second].filter(Boolean).join("\n");
}

/** A colon inside brackets or code belongs to what they hold. */
function isUnclosed(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(/`/g) % 2 === 1 || count(/[([（]/g) > count(/[)\]）]/g) || /https?$/.test(text);
}
