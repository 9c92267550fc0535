/** Reads the sections of a Markdown reply into the fields they fill; the contract then judges them. */

import { judgeParsed } from "./check-value.ts";
import type { Contract, Section } from "./contract.ts";
import { fencedBlocks, unfenceWhole } from "./fences.ts";
import { createLedger, excerpt, type Ledger, type Repair } from "./ledger.ts";
import { readPayload } from "./read-json.ts";
import { type Problem, type Reading, type Refused, refused } from "./reading.ts";
import {
  endsInHeading,
  type FoundSection,
  type SectionScan,
  scanSections,
} from "./section-scan.ts";
import { type Place, readBullets, readPairs, readWord } from "./section-text.ts";
import { propertiesOf, requiredKeysOf, resolveShape, shapeOf } from "./shape.ts";

export interface SectionsReply {
  readonly scan: SectionScan;
  readonly text: string;
  /** Where the text that was scanned begins in the reply. */
  readonly base: number;
  readonly ledger: Ledger;
}

export function findSections(contract: Contract, text: string): SectionsReply {
  const ledger = createLedger();
  const plain = scanSections(contract, text);
  const whole = unfenceWhole(text);
  const inside = whole === undefined ? undefined : scanSections(contract, whole.body);
  if (whole === undefined || inside === undefined || inside.found.length <= plain.found.length) {
    return { scan: plain, text, base: 0, ledger };
  }
  const sentence = "The whole answer stood in a code fence, which was taken off.";
  note(ledger, { path: "", offset: 0 }, `\`\`\`${whole.info}`, sentence);
  return { scan: inside, text: whole.body, base: whole.offset, ledger };
}

/**
 * Sections do not close themselves, so a reported cut is always believed. An unreported one shows
 * in a heading, a fence or a JSON value that the end of the text leaves unfinished.
 */
export function readSections<Value>(
  contract: Contract<Value>,
  reply: SectionsReply,
  isCut: boolean,
): Reading<Value> {
  const { scan, base, ledger } = reply;
  noteScan(scan, base, ledger);
  const last = scan.found.at(-1);
  if (isCut || endsInHeading(contract, reply.text)) return cutShort(contract, reply);
  const { value, problems } = readFields(contract, scan.found, base, ledger);
  const isOpen = problems.some(
    ({ path, code }) => code === "cut_short" && path === last?.section.field,
  );
  const isOpenText =
    scan.endsInFence && scan.swallowing === undefined && last?.section.read === "text";
  if (isOpen || isOpenText) return cutShort(contract, reply);
  const faults = [...missingSections(contract, scan), ...problems];
  if (faults.length > 0) {
    return refused("invalid", faults, { repairs: ledger.entries(), partial: value });
  }
  return judgeParsed(contract, value, ledger);
}

function readFields(
  contract: Contract,
  found: readonly FoundSection[],
  base: number,
  ledger: Ledger,
): { value: Record<string, unknown>; problems: Problem[] } {
  const value: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const part of found) {
    const read = readField(contract, part, base, ledger);
    if (Array.isArray(read)) problems.push(...read);
    else Object.assign(value, read);
  }
  return { value, problems };
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields that one section fills, or what is wrong with it. An empty section fills nothing. */
function readField(
  contract: Contract,
  part: FoundSection,
  base: number,
  ledger: Ledger,
): Fields | Problem[] {
  const { section, inline } = part;
  const text = inline === "" ? part.body.trim() : `${inline}\n${part.body}`.trim();
  const offset = base + (inline === "" ? part.bodyOffset : part.headingOffset);
  const place = { path: section.field, offset };
  if (text === "") return {};
  switch (section.read) {
    case "text":
      return { [section.field]: text };
    case "word":
      return readWordSection(section, text, place, ledger);
    case "list":
      return { [section.field]: readBullets(text, place, ledger) };
    case "json":
      return readJsonSection(section, text, place, ledger);
    default:
      return readPairsSection(contract, section, text, place, ledger);
  }
}

function readWordSection(section: Section, text: string, place: Place, ledger: Ledger): Fields {
  const { word, rest } = readWord(text);
  if (rest === "") return { [section.field]: word };
  if (section.rest !== undefined) return { [section.field]: word, [section.rest]: rest };
  note(ledger, place, rest, "Text after the word was left aside.");
  return { [section.field]: word };
}

function readPairsSection(
  contract: Contract,
  section: Section,
  text: string,
  place: Place,
  ledger: Ledger,
): Fields | Problem[] {
  if (/^[[{`~]/.test(text)) return readJsonSection(section, text, place, ledger);
  const root = shapeOf(contract);
  const field = resolveShape(propertiesOf(root)[section.field] ?? {}, root);
  return { [section.field]: readPairs(text, { field, root }, place, ledger) };
}

function readJsonSection(
  section: Section,
  text: string,
  place: Place,
  ledger: Ledger,
): Fields | Problem[] {
  if (section.textAs !== undefined && !isMeantAsJson(text)) {
    return { [section.field]: { [section.textAs]: text } };
  }
  const payload = readPayload(text, place.offset, ledger);
  if (payload.ok) return { [section.field]: payload.value };
  const message = `Section "${section.heading}" must hold JSON: ${payload.fault}.`;
  return [{ code: payload.isCut ? "cut_short" : "syntax", path: section.field, message }];
}

const MOST_PROSE_AROUND = 300;

/** A document may quote JSON; it is meant as JSON when little else is there. */
function isMeantAsJson(text: string): boolean {
  if (/^[[{]/.test(text)) {
    return /^(?:\{\s*(?:["'}“‘]|$)|\[\s*(?:[[{"'\]\-\dtfn“]|$))/.test(text);
  }
  const [block, second] = fencedBlocks(text);
  if (block === undefined || second !== undefined) return false;
  const isJson = block.info.startsWith("json") || block.info === "";
  const begins = /^[[{]/.test(text.slice(block.bodyStart, block.bodyEnd).trimStart());
  return isJson && begins && text.length - (block.end - block.start) <= MOST_PROSE_AROUND;
}

function noteScan(scan: SectionScan, base: number, ledger: Ledger): void {
  const start = { path: "", offset: base };
  if (scan.replaced !== undefined) {
    const sentence = "The sections were written more than once; the last set is the answer.";
    note(ledger, start, scan.replaced.text, sentence);
    return;
  }
  if (scan.preamble.trim() !== "") {
    note(ledger, start, scan.preamble.trim(), "Text before the first section was left aside.");
  }
  for (const { heading, offset } of scan.repeated) {
    const sentence = `A second heading "${heading}" was read as part of the text around it.`;
    note(ledger, { path: "", offset: base + offset }, heading, sentence, "none");
  }
}

function missingSections(contract: Contract, scan: SectionScan): Problem[] {
  const required = requiredKeysOf(shapeOf(contract));
  const filled = new Set(scan.found.filter(hasContent).map(({ section }) => section));
  const problems = contract.sections
    .filter((section) => required.includes(section.field) && !filled.has(section))
    .map((section): Problem => missingSection(section, scan));
  const fence = scan.swallowing;
  if (fence === undefined) return problems;
  const swallowed = fence.headings.map((name) => `"${name}"`).join(", ");
  const message = `A code fence opened in section "${fence.inside}" is not closed in time and swallows ${swallowed}.`;
  return [{ code: "unclosed_fence", path: "", message }, ...problems];
}

function missingSection(section: Section, scan: SectionScan): Problem {
  const isEmpty = scan.found.some((part) => part.section === section);
  const message = `Section "${section.heading}" is ${isEmpty ? "empty" : "missing"}.`;
  return { code: "missing_section", path: section.field, message };
}

function hasContent({ inline, body }: FoundSection): boolean {
  return inline !== "" || body.trim() !== "";
}

function cutShort(contract: Contract, { scan, base, ledger }: SectionsReply): Refused {
  const last = scan.found.at(-1);
  const { value } = readFields(contract, scan.found.slice(0, -1), base, ledger);
  const path = last?.section.field ?? "";
  const where =
    last === undefined ? "before the first section" : `in section "${last.section.heading}"`;
  const message = `The reply was cut short ${where}.`;
  return refused("truncated", [{ code: "cut_short", path, message }], {
    repairs: ledger.entries(),
    partial: value,
    ...(last === undefined ? {} : { open: { path: [path], text: `${last.inline}${last.body}` } }),
  });
}

function note(
  ledger: Ledger,
  { path, offset }: Place,
  before: string,
  sentence: string,
  loss: Repair["loss"] = "syntactic",
): void {
  const repair = { step: "sections", path, offset, after: "", sentence, loss } as const;
  ledger.add({ ...repair, before: excerpt(before) });
}
