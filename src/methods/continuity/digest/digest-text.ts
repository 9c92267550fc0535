/** A digest as Markdown: what a model made of the facts, and below it the facts themselves, which nobody made up. */

import type { DigestWords } from "./digest-contract.ts";
import { type DigestFacts, detailOf, type Fact } from "./digest-facts.ts";
import {
  type DigestPeriod,
  FACT_SECTIONS,
  type FactSection,
  MOST_PER_SECTION,
} from "./digest-outline.ts";

export const SECTION_TITLES: Readonly<Record<FactSection, string>> = {
  decided: "Decided",
  contradicted: "Contradicted",
  opened: "Opened",
  closed: "Closed",
  blocking: "Still blocking",
};

export interface DigestText {
  readonly projectName: string;
  readonly period: DigestPeriod;
  readonly facts: DigestFacts;
  /** Absent where no model was asked. */
  readonly words?: DigestWords | undefined;
  /** Facts that were not in the prompt, for lack of room. */
  readonly untold?: number | undefined;
}

export function writeDigest({ projectName, period, facts, words, untold = 0 }: DigestText): string {
  const title = `# ${oneLine(projectName)}: ${dayOf(period.since)} to ${dayOf(period.until)}`;
  return [
    title,
    ...(words === undefined ? [] : [wordsText(words, facts.facts)]),
    ...(untold === 0
      ? []
      : [
          `_The words above were written without ${count(untold, "fact")} for which there was no room; all are listed below._`,
        ]),
    ...FACT_SECTIONS.flatMap((section) => sectionText(section, facts)),
    ...restText(facts),
  ]
    .join("\n\n")
    .concat("\n");
}

function wordsText({ summary, lines }: DigestWords, facts: readonly Fact[]): string {
  const byMark = new Map(facts.map((fact) => [fact.mark, fact]));
  const written = lines.map(({ sentence, refs }) => {
    const places = refs.flatMap((mark) => byMark.get(mark) ?? []).map(refOf);
    return `- ${oneLine(sentence)} (${[...new Set(places)].join(", ")})`;
  });
  return [oneLine(summary), ...(written.length === 0 ? [] : [written.join("\n")])].join("\n\n");
}

function sectionText(section: FactSection, { facts, counts }: DigestFacts): readonly string[] {
  const own = facts.filter((fact) => fact.section === section);
  if (own.length === 0) return [];
  const lines = own.map((fact) => {
    const detail = detailOf(fact);
    const beside = detail === "" ? "" : ` – ${clipped(detail)}`;
    return `- ${whenOf(fact)} ${oneLine(fact.title)}${beside} (${refOf(fact)})`;
  });
  // What is withheld is counted at the end; only what was too much to list is missing here.
  const more = counts[section] - MOST_PER_SECTION;
  if (more > 0) {
    const which = section === "blocking" ? "newer" : "older";
    lines.push(`- and ${more} ${which} ones`);
  }
  return [`## ${SECTION_TITLES[section]}\n\n${lines.join("\n")}`];
}

function restText({ counts, withheld }: DigestFacts): readonly string[] {
  const { highlights, workflowTasks, gone, pruned } = counts;
  const parts = [
    ...(highlights === 0 ? [] : [`${count(highlights, "highlight")} kept`]),
    ...(workflowTasks === 0 ? [] : [`${count(workflowTasks, "task")} of workflows`]),
    ...(gone === 0 ? [] : [`${gone} deleted or archived since`]),
    ...(withheld === 0 ? [] : [`${withheld} not shown, because deleted or redacted since`]),
    ...(pruned === 0 ? [] : [`${count(pruned, "event")} of which only the time is left`]),
  ];
  return parts.length === 0 ? [] : [`Beside that: ${parts.join(", ")}.`];
}

function count(amount: number, one: string): string {
  return `${amount} ${one}${amount === 1 ? "" : "s"}`;
}

export function refOf({ type, id }: Pick<Fact, "type" | "id">): string {
  return `${type}:${id}`;
}

/** What still blocks has done so since; everything else happened then. */
export function whenOf({ section, at }: Pick<Fact, "section" | "at">): string {
  return section === "blocking" ? `since ${dayOf(at)}` : dayOf(at);
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

const LONGEST = 200;

function clipped(text: string): string {
  const line = oneLine(text);
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).toWellFormed()}…` : line;
}

/** What people wrote must not pass for a heading or another item. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
