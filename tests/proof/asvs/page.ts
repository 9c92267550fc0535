/** docs/asvs.md, made of the list. */

import type { Chapter, Evidence, Requirement } from "./requirement.ts";

export interface Tally {
  readonly all: number;
  readonly met: number;
  readonly applicable: number;
  /** Met of those that apply, rounded down to a tenth. */
  readonly percent: number;
}

export function tallyOf(chapters: readonly Chapter[], level: 1 | 2): Tally {
  const all = chapters
    .flatMap(({ requirements }) => requirements)
    .filter((requirement) => requirement.level === level);
  const met = all.filter((requirement) => "met" in requirement).length;
  const applicable = all.filter((requirement) => !("notApplicable" in requirement)).length;
  return {
    all: all.length,
    met,
    applicable,
    percent: applicable === 0 ? 100 : Math.floor((met / applicable) * 1000) / 10,
  };
}

export function tallyText({ all, met, applicable, percent }: Tally): string {
  const rest = applicable - met;
  return `${all}: ${met} met, ${all - applicable} not applicable, ${rest} missing; ${percent} % of those that apply`;
}

export function pageOf(chapters: readonly Chapter[]): string {
  const missing = chapters
    .flatMap(({ requirements }) => requirements)
    .flatMap((requirement) =>
      "missing" in requirement
        ? [
            `- **${requirement.number}** (level ${requirement.level}) ${requirement.asks}: ${requirement.missing}.`,
          ]
        : [],
    );
  return `# ASVS

What the [OWASP Application Security Verification Standard](https://owasp.org/www-project-application-security-verification-standard/) 5.0.0 asks for at levels 1 and 2, in our words, and what shows that it is so: a test, by its file and its name, or a heading of these pages. Whoever wants the exact wording finds it there by number. Made of \`tests/proof/asvs/\` by \`ASVS=write node --test tests/proof/asvs.test.ts\`; the test fails where a name is not there or this page is not as the list is.

- Level 1, ${tallyText(tallyOf(chapters, 1))}.
- Level 2, ${tallyText(tallyOf(chapters, 2))}.

We say this of ourselves; nobody from outside has verified it.

## What is missing

${missing.length === 0 ? "Nothing." : missing.join("\n")}

${chapters.map(chapterOf).join("\n\n")}
`;
}

function chapterOf({ number, title, requirements }: Chapter): string {
  const rows = requirements.map(
    (requirement) =>
      `| ${requirement.number} | ${requirement.level} | ${cell(requirement.asks)} | ${cell(standingOf(requirement))} |`,
  );
  return [
    `## ${number} ${title}`,
    "",
    "| | Level | Asked for | How it stands |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function standingOf(requirement: Requirement): string {
  if ("notApplicable" in requirement) return `not applicable: ${requirement.notApplicable}`;
  if ("missing" in requirement) return `**missing**: ${requirement.missing}`;
  const shown = requirement.met.map(evidenceText).join("; ");
  return requirement.note === undefined ? shown : `${shown}. ${sentence(requirement.note)}`;
}

function evidenceText([file, words]: Evidence): string {
  return file.endsWith(".md")
    ? `[${words}](${file.replace(/^docs\//, "")}#${anchorOf(words)})`
    : `\`${file}\`: ${words}`;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** In a table a bar would begin a column. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
