/** A digest as Markdown: what a model made of the facts, and below it the facts themselves, which nobody made up. */

import type { DigestWords } from "./digest-contract.ts";
import type { DigestFacts, DigestPeriod, Fact, FactSection } from "./digest-facts.ts";

export const SECTION_TITLES: Readonly<Record<FactSection, string>> = {
  decided: "Decided",
  contradicted: "Contradicted",
  opened: "Opened",
  closed: "Closed",
  blocking: "Still blocking",
};

const SECTIONS = ["decided", "contradicted", "opened", "closed", "blocking"] as const;

export interface DigestText {
  readonly projectName: string;
  readonly period: DigestPeriod;
  readonly facts: DigestFacts;
  /** Absent where no model was asked. */
  readonly words?: DigestWords | undefined;
}

export function writeDigest({ projectName, period, facts, words }: DigestText): string {
  const title = `# ${oneLine(projectName)}: ${dayOf(period.since)} to ${dayOf(period.until)}`;
  return [
    title,
    ...(words === undefined ? [] : [wordsText(words, facts.facts)]),
    ...SECTIONS.flatMap((section) => sectionText(section, facts.facts)),
    ...restText(facts),
  ]
    .join("\n\n")
    .concat("\n");
}

function wordsText({ summary, lines }: DigestWords, facts: readonly Fact[]): string {
  const byMark = new Map(facts.map((fact) => [fact.mark, fact]));
  const written = lines.map(({ text, refs }) => {
    const places = refs.flatMap((mark) => byMark.get(mark) ?? []).map(refOf);
    return `- ${oneLine(text)} (${[...new Set(places)].join(", ")})`;
  });
  return [summary.trim(), ...(written.length === 0 ? [] : [written.join("\n")])].join("\n\n");
}

function sectionText(section: FactSection, facts: readonly Fact[]): readonly string[] {
  const own = facts.filter((fact) => fact.section === section);
  if (own.length === 0) return [];
  const lines = own.map((fact) => {
    const detail = fact.detail === "" ? "" : `: ${clipped(fact.detail)}`;
    return `- ${dayOf(fact.at)} ${oneLine(fact.title)}${detail} (${refOf(fact)})`;
  });
  return [`## ${SECTION_TITLES[section]}\n\n${lines.join("\n")}`];
}

function restText({ highlights, workflowTasks, unseen }: DigestFacts): readonly string[] {
  const parts = [
    ...(highlights === 0 ? [] : [`${highlights} highlight${highlights === 1 ? "" : "s"} kept`]),
    ...(workflowTasks === 0
      ? []
      : [`${workflowTasks} task${workflowTasks === 1 ? "" : "s"} of workflows`]),
    ...(unseen === 0 ? [] : [`${unseen} not shown: deleted since, or redacted`]),
  ];
  return parts.length === 0 ? [] : [`Beside that: ${parts.join(", ")}.`];
}

export function refOf({ type, id }: Pick<Fact, "type" | "id">): string {
  return `${type}:${id}`;
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
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
