/** The prompt of a digest: the thinking stance, how to tell it, and the facts with their marks. */

import { renderTemplate } from "../../../kernel/base/template.ts";
import { skeletonOf } from "../../../kernel/contract/skeleton.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { parsePrompt } from "../../../kernel/library/parse-prompt.ts";
import { compilePrompt } from "../../../kernel/prompt/compile-prompt.ts";
import type { CompiledPrompt } from "../../../kernel/prompt/compiled-prompt.ts";
import { FENCE_NOTICE } from "../../../kernel/prompt/fence-untrusted.ts";
import type { Layout, Part, Piece } from "../../../kernel/prompt/part.ts";
import { createRedactor } from "../../../kernel/prompt/redactor.ts";
import { digestForm } from "./digest-contract.ts";
import type { Fact } from "./digest-facts.ts";
import { type DigestPeriod, FACT_SECTIONS } from "./digest-outline.ts";
import { dayOf, oneLine, SECTION_TITLES, whenOf } from "./digest-text.ts";

const LAYOUT: Layout = {
  layers: [
    { id: "instructions", role: "system", stability: "fixed", separator: "\n\n" },
    { id: "project", role: "user", stability: "run", heading: "# Project" },
    ...FACT_SECTIONS.map((section) => ({
      id: section,
      role: "user" as const,
      stability: "turn" as const,
      heading: `# ${SECTION_TITLES[section]}`,
    })),
  ],
};

/** A digest of a busy year is still a prompt: of what does not fit the newest is left out last. */
const BUDGET_CHARACTERS = 60_000;

export interface DigestRequest {
  readonly projectId: string;
  readonly projectName: string;
  readonly period: DigestPeriod;
  readonly facts: readonly Fact[];
  readonly passages: readonly string[];
}

export function compileDigest(
  library: Library,
  { projectId, projectName, period, facts, passages }: DigestRequest,
): CompiledPrompt {
  const parts: Part[] = [
    instruction(0, saying(library, "thinking-stance")),
    instruction(1, saying(library, "digest", { form: skeletonOf(digestForm) })),
    instruction(2, { text: FENCE_NOTICE }),
    {
      id: "project",
      layer: "project",
      order: 0,
      importance: "required",
      text: [
        {
          text: projectName,
          untrusted: "name",
          ref: { type: "project", id: projectId, field: "name" },
        },
        { text: `, from ${dayOf(period.since)} to ${dayOf(period.until)}` },
      ],
    },
    ...facts.map(toPart),
  ];
  return compilePrompt(LAYOUT, parts, {
    budget: { characters: BUDGET_CHARACTERS },
    choice: { fill: "in_order" },
    redactor: createRedactor({ texts: passages }),
  });
}

const LONGEST_WORDS = 300;

function toPart(fact: Fact, order: number): Part {
  const { mark, section, type, id, title, state, said, at } = fact;
  const told = (text: string, field: string): Piece => ({
    text: oneLine(text),
    untrusted: type,
    ref: { type, id, field },
    maximum: LONGEST_WORDS,
  });
  const pieces: Piece[] = [{ text: `[${mark}] ${whenOf(fact)} ` }, told(title, "title")];
  if (state !== "") pieces.push({ text: ` – ${state}` });
  if (said !== "") pieces.push({ text: state === "" ? " – " : ": " }, told(said, "said"));
  // What still blocks and what was settled matter more than what merely moved; of each the newest.
  const rank = { blocking: 5, decided: 4, contradicted: 4, closed: 2, opened: 2 }[section];
  return {
    id: partOf(fact, order),
    layer: section,
    order,
    importance: rank,
    score: { value: at },
    kind: section,
    text: pieces,
  };
}

function partOf({ section }: Fact, order: number): string {
  return `${section}:${order}`;
}

function instruction(order: number, piece: Piece): Part {
  const id = `instructions:${order}`;
  return { id, layer: "instructions", order, importance: "required", text: [piece] };
}

function saying(library: Library, name: string, values: Record<string, string> = {}): Piece {
  const { template, file } = parsePrompt(library.read(`continuity/prompts/${name}.md`));
  return {
    text: renderTemplate(template, values).text.trim(),
    ref: { type: "prompt", id: file.path, version: file.hash },
  };
}

/** Marks of what the prompt really shows. */
export function marksIn({ ledger }: CompiledPrompt, facts: readonly Fact[]): readonly string[] {
  const shown = new Set(ledger.flatMap(({ part, outcome }) => (outcome === "in" ? [part] : [])));
  return facts.flatMap((fact, order) => (shown.has(partOf(fact, order)) ? [fact.mark] : []));
}
