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
  /** The first fence that holds headings of sections which are found nowhere else. */
  readonly swallowing?: { readonly inside: string; readonly headings: readonly string[] };
  /** The text ends inside a fence. */
  readonly endsInFence: boolean;
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
  const { headings: all, hidden, endsInFence } = findHeadings(contract.sections, text);
  const isJson = beginsBehindBracket(all, text);
  const headings = isJson ? all.filter(({ style }) => style !== "label") : all;
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
  const swallowing = swallowingFence(contract, hidden, found);
  return {
    found,
    preamble: replacedUpTo === undefined ? text.slice(0, first) : "",
    repeated,
    endsInFence,
    ...(swallowing === undefined ? {} : { swallowing }),
    ...(replacedUpTo === undefined
      ? {}
      : { replaced: { offset: 0, text: text.slice(0, replacedUpTo) } }),
  };
}

/** `status: "x"` behind an open bracket is badly written JSON, not a label. */
function beginsBehindBracket([first]: readonly Heading[], text: string): boolean {
  const before = text.slice(0, first?.offset ?? 0);
  return before.replace(/[^{[]/g, "").length > before.replace(/[^}\]]/g, "").length;
}

/** A heading inside a fence; it counts only as an explanation of what is missing. */
interface HiddenHeading {
  readonly index: number;
  readonly fence: number;
}

function findHeadings(sections: readonly Section[], text: string) {
  const names = sections.map(({ heading, aliases = [] }) => [heading, ...aliases].map(plain));
  const headings: Heading[] = [];
  const hidden: HiddenHeading[] = [];
  let open: (FenceLine & { offset: number }) | undefined;
  for (const { start, end, next } of linesOf(text)) {
    const line = text.slice(start, end);
    const heading = headingOf(line, names);
    // A label may stand on the line that opens a fence: "Output: ```json".
    const fence = fenceLine(line) ?? fenceLine(heading?.inline ?? "");
    if (open === undefined) {
      if (fence !== undefined) open = { ...fence, offset: start };
      if (heading !== undefined) headings.push({ ...heading, offset: start, next });
    } else if (fence !== undefined && closesFence(fence, open)) open = undefined;
    else if (heading?.style.startsWith("#"))
      hidden.push({ index: heading.index, fence: open.offset });
  }
  return { headings, hidden, endsInFence: open !== undefined };
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

function swallowingFence(
  contract: Contract,
  hidden: readonly HiddenHeading[],
  found: readonly FoundSection[],
): SectionScan["swallowing"] {
  const present = new Set(found.map(({ section }) => section));
  const missing = hidden.filter(({ index }) => !present.has(sectionAt(contract, index)));
  const fence = missing[0]?.fence;
  if (fence === undefined) return undefined;
  const headings = new Set(missing.map(({ index }) => sectionAt(contract, index).heading));
  const inside = found.findLast(({ headingOffset }) => headingOffset <= fence)?.section.heading;
  return { inside: inside ?? "", headings: [...headings] };
}

/** The last line begins a heading that is not finished: `## Metad`. */
export function endsInHeading(contract: Contract, text: string): boolean {
  const line = text.slice(text.trimEnd().lastIndexOf("\n") + 1).trim();
  const begun = /^#{1,6}[ \t]*(.*)$/.exec(line.length > 100 ? "" : line)?.[1];
  if (begun === undefined) return false;
  return contract.sections.some(({ heading, aliases = [] }) =>
    [heading, ...aliases].some(
      (name) => plain(name) !== plain(begun) && plain(name).startsWith(plain(begun)),
    ),
  );
}

function sectionAt(contract: Contract, index: number): Section {
  const section = contract.sections[index];
  if (section === undefined)
    throw new RangeError(`Contract ${contract.name} has no section ${index}.`);
  return section;
}
