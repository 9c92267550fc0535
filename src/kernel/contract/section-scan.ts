/**
 * Finds a contract's sections in a Markdown reply, fence by fence and line by line. Models write the
 * same heading in many ways (`## Status`, `**Status**`, `## 1. Status`, `## Status: SUCCESS`), and
 * write the same words inside a section's text, so two rules decide:
 *
 * - One style leads, the one in which most sections were found. A heading in another style counts
 *   only for a section that is missing, where the contract's order expects it.
 * - The first heading of a section counts and a later one is part of the text around it, unless the
 *   whole set was written again: then the last set is the answer.
 */

import type { Contract, Section } from "./contract.ts";
import { closesFence, type FenceLine, fenceLine, linesOf } from "./fences.ts";

export interface FoundSection {
  readonly section: Section;
  /** What stands on the heading's own line, after the heading. */
  readonly inline: string;
  readonly headingOffset: number;
  readonly bodyOffset: number;
  readonly body: string;
}

export interface SectionScan {
  readonly found: readonly FoundSection[];
  readonly preamble: string;
  /** A fence that was opened and never closed, and what it swallowed. */
  readonly openFence?: {
    readonly offset: number;
    readonly inside: string;
    readonly swallowed: readonly string[];
  };
  /** Headings that were taken for text, since their section had begun before. */
  readonly repeated: readonly { readonly heading: string; readonly offset: number }[];
  /** An earlier whole set of sections that the last one replaces. */
  readonly replaced?: { readonly offset: number; readonly text: string };
}

interface Heading {
  readonly index: number;
  readonly style: string;
  readonly offset: number;
  readonly next: number;
  readonly inline: string;
}

export function scanSections(contract: Contract, text: string): SectionScan {
  const { headings, fence } = findHeadings(contract.sections, text);
  const leading = leadingStyle(headings);
  const { chosen, replacedUpTo } = chooseHeadings(headings, leading, contract.sections.length);
  const found = chosen.map((heading, at): FoundSection => {
    const end = chosen[at + 1]?.offset ?? text.length;
    return {
      section: sectionAt(contract, heading.index),
      inline: heading.inline,
      headingOffset: heading.offset,
      bodyOffset: heading.next,
      body: text.slice(heading.next, end),
    };
  });
  const first = chosen[0]?.offset ?? text.length;
  const taken = new Set(chosen);
  const repeated = headings
    .filter((heading) => !taken.has(heading) && heading.style === leading && heading.offset > first)
    .map(({ index, offset }) => ({ heading: sectionAt(contract, index).heading, offset }));
  const swallowed = fence === undefined ? [] : swallowedBy(contract, text, fence, taken);
  return {
    found,
    preamble: replacedUpTo === undefined ? text.slice(0, first) : "",
    repeated,
    ...(fence === undefined
      ? {}
      : { openFence: { offset: fence.offset, inside: insideOf(found, fence.offset), swallowed } }),
    ...(replacedUpTo === undefined
      ? {}
      : { replaced: { offset: 0, text: text.slice(0, replacedUpTo) } }),
  };
}

function findHeadings(sections: readonly Section[], text: string) {
  const names = sections.map(({ heading, aliases = [] }) => [heading, ...aliases].map(plain));
  const headings: Heading[] = [];
  let open: (FenceLine & { offset: number; next: number }) | undefined;
  for (const { start, end, next } of linesOf(text)) {
    const line = text.slice(start, end);
    const fence = fenceLine(line);
    if (open !== undefined) {
      if (fence !== undefined && closesFence(fence, open)) open = undefined;
      continue;
    }
    if (fence !== undefined) open = { ...fence, offset: start, next };
    const heading = headingOf(line, names);
    if (heading !== undefined) headings.push({ ...heading, offset: start, next });
  }
  return { headings, fence: open };
}

const MARKS =
  /^ {0,3}(#{1,6}[ \t]*)?((?:\*\*|__)?)(?:[\p{Extended_Pictographic}\ufe0f\u200d]+[ \t]*)?(?:\(?\d{1,2}[.):][ \t]*)?((?:\*\*|__)?)/u;

/** `line` as a heading: marks, then perhaps a number, then a known name, then perhaps a value. */
function headingOf(line: string, names: readonly (readonly string[])[]) {
  const marks = MARKS.exec(line);
  const hashes = (marks?.[1] ?? "").trim().length;
  const bold = (marks?.[2] ?? "") + (marks?.[3] ?? "");
  const title = line.slice(marks?.[0].length ?? 0);
  for (const [index, options] of names.entries()) {
    for (const name of options) {
      const length = nameLength(title, name);
      if (length === undefined) continue;
      const after = /^([*_`]*)[ \t]*([:=\-–—]?)([*_`]*)[ \t]*/.exec(title.slice(length)) ?? [""];
      const inline = withoutClosingHashes(title.slice(length + after[0].length), hashes > 0);
      const separator = after[2] ?? "";
      if (inline !== "" && separator === "" && !/^[[(]/.test(inline)) continue;
      const style =
        hashes > 0 ? `#${hashes}` : bold !== "" ? "bold" : separator === ":" ? "label" : "";
      if (style !== "") return { index, style, inline };
    }
  }
  return undefined;
}

/** `## Status ##` is a heading too. */
function withoutClosingHashes(text: string, isHashed: boolean): string {
  const trimmed = text.trim();
  let end = trimmed.length;
  if (!isHashed) return trimmed;
  while (trimmed.charAt(end - 1) === "#") end -= 1;
  return end === 0 || trimmed.charAt(end - 1) === " " ? trimmed.slice(0, end).trim() : trimmed;
}

function nameLength(title: string, name: string): number | undefined {
  const probe = plain(title.slice(0, name.length));
  if (probe !== name) return undefined;
  return /^[\p{L}\p{N}]/u.test(title.slice(name.length)) ? undefined : name.length;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[_\- ]/g, " ");
}

function leadingStyle(headings: readonly Heading[]): string {
  const distinct = new Map<string, Set<number>>();
  for (const { style, index } of headings) {
    distinct.set(style, (distinct.get(style) ?? new Set()).add(index));
  }
  const rank = (style: string) => (style.startsWith("#") ? 2 : style === "bold" ? 1 : 0);
  const [leading] = [...distinct.entries()].toSorted(
    ([a, inA], [b, inB]) => inB.size - inA.size || rank(b) - rank(a) || (a < b ? -1 : 1),
  );
  return leading?.[0] ?? "";
}

function chooseHeadings(headings: readonly Heading[], leading: string, count: number) {
  const main = headings.filter(({ style }) => style === leading);
  const lastSet = lastWholeSet(main, count);
  const kept = lastSet ?? firstOfEach(main);
  const chosen = kept.flatMap((heading, at) => [
    heading,
    ...missingBetween(headings, heading, kept[at + 1], kept, leading),
  ]);
  return { chosen, replacedUpTo: lastSet === undefined ? undefined : lastSet[0]?.offset };
}

function firstOfEach(headings: readonly Heading[]): Heading[] {
  const seen = new Set<number>();
  return headings.filter(({ index }) => !seen.has(index) && seen.add(index));
}

/** The same sections written in the same order two or more times, and nothing but that. */
function lastWholeSet(main: readonly Heading[], count: number): Heading[] | undefined {
  const size = new Set(main.map(({ index }) => index)).size;
  if (size < Math.min(2, count) || main.length === size || main.length % size !== 0)
    return undefined;
  const isRepeat = main.every(({ index }, at) => index === main[at % size]?.index);
  return isRepeat ? main.slice(-size) : undefined;
}

function missingBetween(
  headings: readonly Heading[],
  from: Heading,
  to: Heading | undefined,
  kept: readonly Heading[],
  leading: string,
): Heading[] {
  if (leading === "label") return [];
  const present = new Set(kept.map(({ index }) => index));
  let last = from.index;
  return headings.filter((heading) => {
    const isBetween = heading.offset > from.offset && heading.offset < (to?.offset ?? Infinity);
    const isInOrder = heading.index > last && heading.index < (to?.index ?? Infinity);
    if (!isBetween || !isInOrder || heading.style === "label" || heading.style === leading)
      return false;
    if (present.has(heading.index)) return false;
    present.add(heading.index);
    last = heading.index;
    return true;
  });
}

/** Headings after a fence that never closes, of sections that nothing else supplied. */
function swallowedBy(
  contract: Contract,
  text: string,
  fence: { readonly next: number },
  taken: ReadonlySet<Heading>,
): string[] {
  const present = new Set([...taken].map(({ index }) => index));
  const { headings } = findHeadings(contract.sections, text.slice(fence.next));
  const inside = new Set(headings.map(({ index }) => index).filter((index) => !present.has(index)));
  return [...inside].map((index) => sectionAt(contract, index).heading);
}

function insideOf(found: readonly FoundSection[], offset: number): string {
  return found.findLast(({ headingOffset }) => headingOffset <= offset)?.section.heading ?? "";
}

function sectionAt(contract: Contract, index: number): Section {
  const section = contract.sections[index];
  if (section === undefined)
    throw new RangeError(`Contract ${contract.name} has no section ${index}.`);
  return section;
}
