/**
 * A contract says what a valid reply looks like. The Zod schema is the only place where the shape
 * lives: the prompt's skeleton, the provider's JSON Schema, validation, repair and the form for
 * people are all derived from it, each once per contract.
 */

import type * as z from "zod";
import { ProductError } from "../base/errors.ts";
import { isReservedKey } from "./inspect.ts";
import type { Path } from "./path.ts";
import { propertiesOf, requiredKeysOf, type Shape, shapeOfSchema, subshapesOf } from "./shape.ts";

export type Syntax = "json" | "sections";

/** How the text under a heading becomes a value. */
type SectionRead = "text" | "word" | "json" | "list" | "pairs";

export interface Section {
  readonly heading: string;
  readonly aliases?: readonly string[];
  /** Top-level field of the schema that this section fills. */
  readonly field: string;
  readonly read: SectionRead;
  /** With `word`: the field that receives what follows the word. */
  readonly rest?: string;
  /** With `json`: text that is no JSON becomes `{ [textAs]: text }`, here and in a JSON reply. */
  readonly textAs?: string;
  /** What the prompt says under the heading; by default it is made from the field's schema. */
  readonly instruction?: string;
}

export interface Contract<Value = unknown> {
  readonly name: string;
  readonly schema: z.ZodType<Value>;
  /** The first is the one that prompts ask for; all are read. */
  readonly syntaxes: readonly Syntax[];
  readonly sections: readonly Section[];
  /** The field that holds a whole reply which is in none of the syntaxes, instead of it being refused. */
  readonly textAs: string | undefined;
  readonly adapt: Adapt | undefined;
}

/**
 * Brings other forms of the same answer into this contract's, before it is judged. It tells of every
 * change and leaves alone what it does not know and what needs none.
 */
export type Adapt = (written: unknown, note: NoteChange) => unknown;

export type NoteChange = (path: Path, before: unknown, after: unknown, sentence: string) => void;

export interface ContractDefinition<Schema extends z.ZodType> {
  readonly name: string;
  readonly schema: Schema;
  readonly syntaxes?: readonly Syntax[];
  readonly sections?: readonly Section[];
  readonly textAs?: string;
  readonly adapt?: Adapt;
}

/** Refuses a contract that could never be met, so a mistake shows at start and not at the first reply. */
export function defineContract<Schema extends z.ZodType>(
  definition: ContractDefinition<Schema>,
): Contract<z.output<Schema>> {
  const { name, sections = [], textAs, adapt } = definition;
  const syntaxes = definition.syntaxes ?? (sections.length > 0 ? ["sections", "json"] : ["json"]);
  const shape = shapeOfSchema(definition.schema);
  const faults = [
    ...reservedFields(shape),
    ...sectionFaults(shape, syntaxes, sections),
    ...textFaults(shape, textAs),
  ];
  if (faults.length > 0) {
    throw new ProductError("contract_faulty", `Contract "${name}" is faulty: ${faults.join(" ")}`, {
      hint: "Correct the contract's schema or its list of sections.",
      details: { contract: name, faults },
    });
  }
  // Zod types a schema by its output; the inference above has just taken it from there.
  const schema = definition.schema as unknown as z.ZodType<z.output<Schema>>;
  return Object.freeze({ name, schema, syntaxes, sections, textAs, adapt });
}

function textFaults(shape: Shape, textAs: string | undefined): string[] {
  if (textAs === undefined) return [];
  if (!Object.hasOwn(propertiesOf(shape), textAs)) {
    return [`A bare text becomes "${textAs}", which the schema does not have.`];
  }
  const others = requiredKeysOf(shape).filter((field) => field !== textAs);
  return others.map((field) => `A bare text cannot fill the required field "${field}".`);
}

function reservedFields(shape: Shape): string[] {
  const names = new Set<string>();
  for (const part of subshapesOf(shape)) {
    for (const key of Object.keys(part.properties ?? {})) if (isReservedKey(key)) names.add(key);
  }
  return [...names].map((key) => `A field may not be called "${key}".`);
}

function sectionFaults(
  shape: Shape,
  syntaxes: readonly Syntax[],
  sections: readonly Section[],
): string[] {
  if (syntaxes.length === 0) return ["It accepts no syntax."];
  if (!syntaxes.includes("sections")) return [];
  if (sections.length === 0) return ["It accepts sections and lists none."];
  const faults: string[] = [];
  const known = new Set(Object.keys(propertiesOf(shape)));
  const filled = new Set(sections.flatMap(({ field, rest }) => [field, ...(rest ? [rest] : [])]));
  const titles = sections.flatMap(({ heading, aliases = [] }) => [heading, ...aliases]);
  const distinct = new Set(titles.map((title) => title.toLowerCase()));
  if (distinct.size < titles.length) faults.push("Two sections share a heading.");
  for (const field of filled) {
    if (!known.has(field))
      faults.push(`A section fills "${field}", which the schema does not have.`);
  }
  for (const field of requiredKeysOf(shape)) {
    if (!filled.has(field)) faults.push(`No section fills the required field "${field}".`);
  }
  return faults;
}
