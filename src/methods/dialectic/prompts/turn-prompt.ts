/**
 * The prompts that are sent: a planner's, and a turn's. What changes least comes first, so that providers can
 * cache it: rules, then the request and the plan that all turns of a slot share, then what only this turn reads.
 */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { Contract } from "../../../kernel/contract/contract.ts";
import { isPlainObject } from "../../../kernel/contract/path.ts";
import { skeletonOf } from "../../../kernel/contract/skeleton.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { compilePrompt } from "../../../kernel/prompt/compile-prompt.ts";
import type { CompiledPrompt } from "../../../kernel/prompt/compiled-prompt.ts";
import { FENCE_NOTICE } from "../../../kernel/prompt/fence-untrusted.ts";
import type { Layer, Layout, Part } from "../../../kernel/prompt/part.ts";
import { sliceOfHeader } from "../document/header-contract.ts";
import type { CompiledStep } from "../recipe/compiled-domain.ts";
import type { Field } from "../recipe/document-file.ts";
import type { OverlayValues } from "../recipe/domain-file.ts";
import { promptPath } from "../recipe/read-domain.ts";
import { type DocumentShape, materialFields } from "../recipe/resolve-document.ts";
import {
  BUDGET_CHARACTERS,
  type Material,
  materialParts,
  overlayParts,
  type PromptValues,
  required,
  saying,
} from "./prompt-parts.ts";

export interface StepPromptInputs {
  readonly library: Library;
  readonly domain: string;
  readonly step: CompiledStep;
  readonly contract: Contract;
  readonly overlays: OverlayValues;
  readonly values: PromptValues;
  /** Of a planner: its stage's seed prompt, which begins with the request. */
  readonly seed?: string;
  /** Of a turn: the request as it was made. */
  readonly request?: string;
  readonly header?: { readonly shape: DocumentShape; readonly value: JsonObject } | undefined;
  /** The most relevant first. */
  readonly documents: readonly Material[];
  readonly feedback: readonly Material[];
  /** The version that is to be revised, and what people said about it. */
  readonly revision?: { readonly document: string; readonly items: readonly string[] } | undefined;
}

const RULES: readonly Layer[] = [
  { id: "base", role: "system", stability: "fixed", separator: "\n\n" },
  {
    id: "overlays",
    role: "system",
    stability: "project",
    heading: "# Ground rules",
    separator: "\n\n",
  },
];

const TURN: Layout = {
  layers: [
    ...RULES,
    { id: "request", role: "user", stability: "run", heading: "# Original request" },
    {
      id: "shared",
      role: "user",
      stability: "run",
      heading: "# The plan, shared part",
      separator: "\n\n",
    },
    { id: "documents", role: "user", stability: "turn", heading: "# Documents", separator: "\n\n" },
    {
      id: "feedback",
      role: "user",
      stability: "turn",
      heading: "# What people said",
      separator: "\n\n",
    },
    {
      id: "notes",
      role: "user",
      stability: "turn",
      heading: "# The plan, notes for your document",
      separator: "\n\n",
    },
    {
      id: "revision",
      role: "user",
      stability: "turn",
      heading: "# The document to revise",
      separator: "\n\n",
    },
    { id: "task", role: "user", stability: "turn", heading: "# Your task", separator: "\n\n" },
    { id: "form", role: "user", stability: "turn", heading: "# The form of your reply" },
  ],
};

const PLANNER: Layout = {
  layers: [
    { id: "base", role: "system", stability: "fixed", separator: "\n\n" },
    { id: "seed", role: "user", stability: "run" },
    { id: "documents", role: "user", stability: "turn", heading: "# Documents", separator: "\n\n" },
    {
      id: "feedback",
      role: "user",
      stability: "turn",
      heading: "# What people said",
      separator: "\n\n",
    },
    { id: "task", role: "user", stability: "turn", heading: "# Your task", separator: "\n\n" },
    { id: "form", role: "user", stability: "turn", heading: "# The form of your reply" },
  ],
};

export function compileStepPrompt(inputs: StepPromptInputs): CompiledPrompt {
  const isPlanner = inputs.step.promptType === "Planner";
  const parts = [
    ...baseParts(inputs, isPlanner ? "planner" : "turn"),
    ...(isPlanner ? seedParts(inputs) : sharedParts(inputs)),
    ...materialParts("documents", inputs.documents),
    ...materialParts("feedback", inputs.feedback),
    ...(isPlanner ? [] : noteParts(inputs)),
    ...revisionParts(inputs),
    ...taskParts(inputs),
  ];
  return compilePrompt(isPlanner ? PLANNER : TURN, parts, {
    budget: { characters: BUDGET_CHARACTERS },
  });
}

function baseParts({ library }: StepPromptInputs, name: string): readonly Part[] {
  return [
    required("base", "base", 0, [saying(library, `dialectic/prompts/${name}.md`)]),
    required("base", "fences", 1, FENCE_NOTICE),
  ];
}

/** Overlays are part of the seed. */
function seedParts({ seed = "", step }: StepPromptInputs): readonly Part[] {
  return [
    required("seed", "seed", 0, [{ text: seed.trim(), ref: { type: "seed", id: step.stage } }]),
  ];
}

function sharedParts({ request = "", overlays, header }: StepPromptInputs): readonly Part[] {
  const shared =
    header === undefined
      ? []
      : compactLines(
          materialFields(header.shape.fields),
          sliceOfHeader(header.shape, header.value, "").shared,
          "",
        );
  return [
    ...overlayParts(overlays),
    required("request", "request", 0, [
      { text: request.trim(), ref: { type: "request", id: "request" } },
    ]),
    ...(shared.length === 0 ? [] : [required("shared", "shared", 0, shared.join("\n"))]),
  ];
}

/** Every word of the shared part is read by each turn, so it is written as tightly as it can be read. */
function compactLines(fields: readonly Field[], value: unknown, by: string): readonly string[] {
  const object = isPlainObject(value) ? value : {};
  return fields.flatMap((field): readonly string[] => {
    const written = object[field.key];
    if (written === undefined || written === null) return [];
    const label = `${by}- **${field.title}**`;
    switch (field.kind) {
      case "object":
        return [label, ...compactLines(field.fields, written, `${by}  `)];
      case "lines":
        return [`${label}: ${inOneLine(written as readonly string[])}`];
      case "list":
        return [
          label,
          ...(written as readonly unknown[]).map(
            (item) => `${by}  - ${itemInOneLine(field.fields, item)}`,
          ),
        ];
      default:
        return [`${label}: ${plainText(written).replaceAll("\n", `\n${by}  `)}`];
    }
  });
}

/** Entries are sentences as often as words; whatever they are, they are told apart by semicolons. */
function inOneLine(texts: readonly string[]): string {
  return texts.map((text) => text.trim().replace(/(?<!\.)\.$/, "")).join("; ");
}

function itemInOneLine(fields: readonly Field[], item: unknown): string {
  const object = isPlainObject(item) ? item : {};
  const said = fields.flatMap(({ key, title }) => {
    const value = object[key];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) return [`${title}: ${plainText(value)}`];
    return value.length === 0 ? [] : [`${title}: ${value.map(plainText).join(", ")}`];
  });
  return inOneLine(said);
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What is for some documents only stands with this one's notes, so that siblings begin with the same bytes. */
function noteParts({ header, step }: StepPromptInputs): readonly Part[] {
  if (header === undefined) return [];
  const { special, own } = sliceOfHeader(header.shape, header.value, step.shape.key);
  const notes = [
    ...compactLines(materialFields(header.shape.fields), special, ""),
    ...step.shape.planned.flatMap(({ key, title }) => noteLines(title, own[key])),
  ];
  return notes.length === 0 ? [] : [required("notes", "notes", 0, notes.join("\n"))];
}

function noteLines(title: string, note: Json | undefined): readonly string[] {
  if (note === undefined) return [];
  const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);
  return Array.isArray(note)
    ? [`- **${title}**`, ...note.map((item) => `  - ${indented(plainText(item), "    ")}`)]
    : [`- **${title}**: ${indented(plainText(note), "  ")}`];
}

function revisionParts({ revision }: StepPromptInputs): readonly Part[] {
  if (revision === undefined) return [];
  const { document, items } = revision;
  return [
    required("revision", "document", 0, [
      { text: document, untrusted: "the document as it stands" },
    ]),
    required(
      "revision",
      "items",
      1,
      `What is asked:\n\n${items.map((item) => `- ${item}`).join("\n")}`,
    ),
  ];
}

function taskParts({
  library,
  domain,
  step,
  contract,
  values,
  revision,
}: StepPromptInputs): readonly Part[] {
  const own = saying(library, promptPath(domain, step.promptTemplate), values);
  const isTurn = step.promptType === "Turn";
  const how = `**${step.shape.title}.** ${step.shape.guidance}`;
  return [
    ...(revision === undefined
      ? []
      : [required("task", "revise", 0, [saying(library, "dialectic/prompts/revise.md")])]),
    required("task", "step", 1, [own]),
    ...(isTurn ? [required("task", "guidance", 2, how)] : []),
    required("form", "form", 0, skeletonOf(contract)),
  ];
}
