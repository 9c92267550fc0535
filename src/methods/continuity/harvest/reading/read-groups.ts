/** The candidates of an answer that is written for people: bullets, tables and paragraphs under headings. */

import { linesOf } from "../../../../kernel/contract/fences.ts";
import { answerLines, PLAIN_LEVEL } from "./answer-lines.ts";
import {
  type Item,
  outlineAnswer,
  type Section,
  type Table,
  type TextRange,
} from "./answer-outline.ts";
import type { Group, GroupWords } from "./group-words.ts";
import {
  type HarvestedGroup,
  type ReadCandidate,
  readLabel,
  toCandidate,
} from "./read-candidate.ts";
import { cleaned, oneLine } from "./split-item.ts";

export interface GroupReading {
  readonly candidates: readonly ReadCandidate[];
  /** What the answer recommends, where it says so under a heading of its own. */
  readonly answer: TextRange | undefined;
  /** Items that are ticked off: said to be done, so not proposed. */
  readonly ticked: number;
}

export function readGroups(answer: string, words: GroupWords): GroupReading {
  const sections = outlineAnswer(answer, answerLines(answer, words), words);
  const reader = createReader(answer, words);
  for (const [index, section] of sections.entries()) {
    reader.section(section, isListed(sections, index));
  }
  return { candidates: reader.found, answer: answerOf(sections), ticked: reader.ticked() };
}

/**
 * A list that nothing announces, as when only that was copied: whether it is most of the text is what tells it
 * from a list in an explanation.
 */
export function readBareList(
  answer: string,
  words: GroupWords,
  group: HarvestedGroup,
): readonly ReadCandidate[] {
  const lines = answerLines(answer, words);
  const sections = outlineAnswer(answer, lines, words);
  const [only, second] = sections;
  if (only === undefined || second !== undefined) return [];
  const written = lines.filter(({ kind }) => kind !== "blank" && kind !== "code").length;
  const listed = lines.filter(
    ({ kind, indent }) => kind === "bullet" || (kind === "text" && indent > 0),
  );
  if (listed.length * 2 < written || only.items.length === 0) return [];
  const reader = createReader(answer, words);
  reader.section({ ...only, group }, true);
  return reader.found;
}

/** Whether the group has a list of its own, above its smaller headings. */
function isListed(sections: readonly Section[], index: number): boolean {
  const own = sections.slice(0, index + 1).findLast(({ isInherited }) => !isInherited);
  return own !== undefined && own.items.length + own.tables.length > 0;
}

function answerOf(sections: readonly Section[]): TextRange | undefined {
  const section = sections.find(({ group, isInherited }) => group === "answer" && !isInherited);
  const [first] = section?.paragraphs ?? [];
  const last = section?.paragraphs.at(-1);
  return first && last && { start: first.start, end: last.end };
}

function createReader(answer: string, words: GroupWords) {
  const found: ReadCandidate[] = [];
  let ticked = 0;
  const textOf = ({ start, end }: TextRange): string => answer.slice(start, end);

  const add = (group: Group | undefined, head: string, details: string, quote: TextRange): void => {
    const label = readLabel(head, words.exactGroup);
    const own = label?.group ?? group;
    const said = label?.head ?? head;
    if (own === undefined || own === "answer" || words.isNothing(cleaned(said))) return;
    const made = toCandidate(own, said, details, quote);
    if (made !== undefined) found.push(made);
  };

  const addItem = (group: Group | undefined, item: Item): void => {
    const head = answer.slice(item.start, item.headEnd);
    const heading = cleaned(oneLine(head)).replace(/ ?[:：]$/, "");
    const named = item.children.length === 0 ? undefined : words.exactGroup(heading);
    if (named !== undefined || (item.children.length > 0 && words.isPeriod(heading))) {
      for (const child of item.children) addItem(named ?? group, child);
    } else if (item.isTicked) ticked += 1;
    else {
      const details = answer.slice(item.headEnd, item.end);
      add(group ?? (item.hasBox ? "tasks" : undefined), head, details, item);
    }
  };

  const addTable = (group: Group | undefined, table: Table): void => {
    const first = table.header.findIndex((cell) => !isNumberColumn(cell));
    const named = words.exactGroup(table.header[first] ?? "");
    if (first === -1 || (named ?? group) === undefined) return;
    for (const row of table.rows) {
      const details = row.cells
        .map((cell, at) => ({ cell, name: table.header[at] ?? "", at }))
        .filter(({ cell, name, at }) => at > first && cell !== "" && !isNumberColumn(name))
        .map(({ cell, name }) => (name === "" ? cell : `${cleaned(name)}: ${cell}`));
      // A cell is a title as a whole: a colon in it begins no explanation.
      const title = cleaned(row.cells[first] ?? "");
      if (title !== "") add(named ?? group, `**${title}**`, details.join("\n"), row);
    }
  };

  const addSection = (section: Section, isGroupListed: boolean): void => {
    const { heading, group, isInherited, items, tables, paragraphs } = section;
    const label = heading && readLabel(heading.title, words.exactGroup);
    const body = bodyOf(section);
    if (heading !== undefined && label !== undefined && label.group !== "answer") {
      add(label.group, `**${label.head}**`, textOf(body), { start: heading.start, end: body.end });
      return;
    }
    const isStep = heading !== undefined && isInherited && !words.isPeriod(heading.title);
    const isBare = items.length + tables.length === 0;
    if (isStep && (heading.isNumbered || (isBare && !isGroupListed))) {
      if (words.isClosing(heading.title)) return;
      add(group, `**${heading.title}**`, textOf(body), { start: heading.start, end: body.end });
      return;
    }
    for (const item of items) addItem(group, item);
    for (const table of ownTables(tables, words)) addTable(group, table);
    if (isBare && !isInherited && group !== undefined) {
      const isUnmarked = heading?.level === PLAIN_LEVEL;
      const said = isUnmarked ? paragraphs.flatMap((each) => linesIn(answer, each)) : paragraphs;
      for (const each of said.filter((range) => isSaying(textOf(range), words))) {
        add(group, textOf(each), "", each);
      }
    }
  };
  return { found, ticked: () => ticked, section: addSection };
}

function bodyOf({ heading, items, tables, paragraphs }: Section): TextRange {
  const start = heading?.end ?? 0;
  const ends = [...items, ...paragraphs, ...tables.flatMap(({ rows }) => rows)];
  return { start, end: Math.max(start, ...ends.map(({ end }) => end)) };
}

/** Beside a table whose head names what it lists, others compare or explain. */
function ownTables(tables: readonly Table[], words: GroupWords): readonly Table[] {
  const named = tables.filter(({ header }) =>
    header.some((cell) => words.exactGroup(cell) !== undefined),
  );
  return named.length > 0 ? named : tables;
}

function linesIn(answer: string, { start, end }: TextRange): readonly TextRange[] {
  return [...linesOf(answer.slice(start, end))].map((line) => ({
    start: start + line.start,
    end: start + line.end,
  }));
}

function isNumberColumn(name: string): boolean {
  return /^(?:#|no\.?|nr\.?|n°|№|id|)$/i.test(name.trim());
}

/** A line that only leads over to something, or speaks to the reader, is no item. */
function isSaying(text: string, words: GroupWords): boolean {
  return !/[:：]$/.test(text) && !words.isClosing(text);
}
