/**
 * The part of a prompt that says how to answer: an example that is valid JSON (or the headings), and
 * ranges, choices and meanings in prose beside it. Nothing in it is JSON that would not parse.
 */

import type { Contract, Section, Syntax } from "./contract.ts";
import { exampleOf } from "./example.ts";
import { formatPath, isPlainObject, type Path } from "./path.ts";
import type { Problem } from "./reading.ts";
import { branchesOf, choicesOf, resolveShape, type Shape, shapeOf, typesOf } from "./shape.ts";

interface Derived {
  readonly texts: Map<Syntax, string>;
  placeholders?: ReadonlySet<string>;
}

const derived = new WeakMap<Contract, Derived>();

/** By default in the syntax that the contract prefers. */
export function skeletonOf(contract: Contract, syntax?: Syntax): string {
  const wanted = syntax ?? contract.syntaxes[0] ?? "json";
  const { texts } = derivedOf(contract);
  const known = texts.get(wanted);
  if (known !== undefined) return known;
  const made = wanted === "json" ? jsonSkeleton(contract) : sectionsSkeleton(contract);
  texts.set(wanted, made);
  return made;
}

/** Placeholders of the example that stand in a value: then the example was echoed, not filled in. */
export function placeholdersIn(contract: Contract, value: unknown): Problem[] {
  if (!holdsAngles(value)) return [];
  const known = derivedOf(contract);
  known.placeholders ??= new Set(anglesIn(exampleOf(shapeOf(contract)), []).map(([text]) => text));
  return anglesIn(value, [])
    .filter(([text]) => known.placeholders?.has(text))
    .map(([text, path]) => ({
      code: "placeholder",
      path: formatPath(path),
      message: `\`${formatPath(path)}\` still holds the example's placeholder ${text}.`,
    }));
}

function derivedOf(contract: Contract): Derived {
  const known = derived.get(contract);
  if (known !== undefined) return known;
  const made: Derived = { texts: new Map() };
  derived.set(contract, made);
  return made;
}

function holdsAngles(value: unknown): boolean {
  if (typeof value === "string") return value.charCodeAt(0) === 60 && value.endsWith(" here>");
  if (Array.isArray(value)) return value.some(holdsAngles);
  if (!isPlainObject(value)) return false;
  for (const key in value) if (holdsAngles(value[key])) return true;
  return false;
}

function anglesIn(value: unknown, path: Path): [string, Path][] {
  if (typeof value === "string") return holdsAngles(value) ? [[value, path]] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => anglesIn(item, [...path, index]));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => anglesIn(inner, [...path, key]));
}

function jsonSkeleton(contract: Contract): string {
  const shape = shapeOf(contract);
  const noun = typesOf(resolveShape(shape, shape)).includes("array") ? "list" : "object";
  return [
    `Answer with one JSON ${noun} and nothing else: no text before or after it, no code fence. An example of its form:`,
    "",
    JSON.stringify(exampleOf(shape), null, 2),
    "",
    ...fieldNotes(shape),
    "Put your own content in place of every `<… here>`. Write every required field; leave an optional one out rather than guess.",
  ].join("\n");
}

function sectionsSkeleton(contract: Contract): string {
  const shape = shapeOf(contract);
  const fields = resolveShape(shape, shape).properties ?? {};
  const required = resolveShape(shape, shape).required ?? [];
  const sections = contract.sections.map((section) => {
    const field = resolveShape(fields[section.field] ?? {}, shape);
    // An instruction of the contract's own says itself when its section may be left out.
    const isSaid = section.instruction !== undefined || required.includes(section.field);
    const optional = isSaid ? "" : " (may be left out)";
    return `## ${section.heading}\n${instructionFor(section, field, shape)}${optional}`;
  });
  return [
    "Answer in exactly these sections, in this order, each heading on a line of its own. Close every code fence you open.",
    ...sections,
  ].join("\n\n");
}

function instructionFor(section: Section, field: Shape, root: Shape): string {
  if (section.instruction !== undefined) return withExample(section, field, root);
  const meaning = field.description === undefined ? "" : `${sentence(field.description)} `;
  switch (section.read) {
    case "word": {
      const rest =
        section.rest === undefined ? "" : " Then, on the lines below, say more about it.";
      return `${meaning}One word: ${describeType(field, root)}.${rest}`;
    }
    case "list":
      return `${meaning}A bulleted list, one item a line; \`- none\` if there is nothing.`;
    case "json":
    case "pairs":
      return withExample(section, field, root, meaning);
    default:
      return `${meaning}${sentence(describeType(field, root))}`;
  }
}

function withExample(section: Section, field: Shape, root: Shape, meaning: string = ""): string {
  const lead = section.instruction ?? `${meaning}A JSON value in a code fence, of this form:`;
  if (section.read !== "json" && section.read !== "pairs") return lead;
  if (typesOf(field).length === 0 && branchesOf(field) === undefined) return lead;
  const shape = { ...field, ...(root.$defs === undefined ? {} : { $defs: root.$defs }) };
  return `${lead}\n${formOfShape(shape)}`;
}

/** A fenced example of a value and, beside it, what its fields mean. */
export function formOfShape(shape: Shape): string {
  const example = `\`\`\`json\n${JSON.stringify(exampleOf(shape), null, 2)}\n\`\`\``;
  return [example, ...fieldNotes(shape)].join("\n").trimEnd();
}

function fieldNotes(root: Shape): string[] {
  const lines: string[] = [];
  collect(resolveShape(root, root), "", 0);
  return lines.length === 0 ? [] : ["Fields:", ...lines, ""];

  function collect(shape: Shape, prefix: string, depth: number): void {
    if (depth > 4) return;
    for (const [key, given] of Object.entries(shape.properties ?? {})) {
      const field = resolveShape(given, root);
      const name = prefix === "" ? key : `${prefix}.${key}`;
      const optional = shape.required?.includes(key) ? "" : ", optional";
      const meaning = field.description === undefined ? "" : ` ${sentence(field.description)}`;
      lines.push(`- \`${name}\`: ${describeType(field, root)}${optional}.${meaning}`);
      for (const [inner, suffix] of innerShapes(field, root))
        collect(inner, name + suffix, depth + 1);
    }
    if (depth === 0) {
      for (const [inner, suffix] of innerShapes({ ...shape, properties: {} }, root)) {
        collect(inner, suffix, depth + 1);
      }
    }
  }
}

function innerShapes(shape: Shape, root: Shape): [Shape, string][] {
  const branches = (branchesOf(shape) ?? [shape]).map((branch) => resolveShape(branch, root));
  return branches.flatMap((branch): [Shape, string][] => {
    if (branch.properties !== undefined) return [[branch, ""]];
    if (typeof branch.items === "object") {
      return innerShapes(resolveShape(branch.items, root), root).map(([inner, suffix]) => [
        inner,
        `[]${suffix}`,
      ]);
    }
    return [];
  });
}

/** "a number from 0 to 1", "a list of 1 to 5 texts", "one of LOW, HIGH". */
export function describeType(given: Shape, root: Shape): string {
  const shape = resolveShape(given, root);
  const branches = branchesOf(shape);
  if (branches !== undefined) {
    return [...new Set(branches.map((branch) => describeType(branch, root)))].join(" or ");
  }
  const choices = choicesOf(shape);
  if (choices !== undefined && choices.length > 0) {
    const listed = choices.map((choice) => JSON.stringify(choice).replace(/^"|"$/g, "")).join(", ");
    const nullable = typesOf(shape).includes("null") ? " or null" : "";
    return `${choices.length === 1 ? "always" : "one of"} ${listed}${nullable}`;
  }
  return typesOf(shape).length === 0
    ? "any JSON value"
    : typesOf(shape)
        .map((type) => describeOne(type, shape, root))
        .join(" or ");
}

function describeOne(type: string, shape: Shape, root: Shape): string {
  switch (type) {
    case "string": {
      // That a text must not be empty goes without saying.
      const isPlain = shape.maxLength === undefined && (shape.minLength ?? 0) <= 1;
      const length = isPlain ? "" : span(shape.minLength, shape.maxLength);
      return `text${shape.format === undefined ? "" : ` (${shape.format})`}${length === "" ? "" : `, ${length} characters`}`;
    }
    case "integer":
      return `a whole number${range(shape)}`;
    case "number":
      return `a number${range(shape)}`;
    case "boolean":
      return "true or false";
    case "array": {
      const count = span(shape.minItems === 0 ? undefined : shape.minItems, shape.maxItems);
      const list = `a list${count === "" ? "" : ` of ${count} items`}`;
      if (typeof shape.items === "object")
        return `${list}, each ${describeType(shape.items, root)}`;
      return shape.prefixItems === undefined ? `${list}, each any values` : list;
    }
    case "object":
      return "an object";
    default:
      return "null";
  }
}

function range({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Shape): string {
  const safe = (bound: number | undefined) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
  const low = safe(minimum);
  const high = safe(maximum);
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}`;
  if (low !== undefined) return ` of at least ${low}`;
  if (high !== undefined) return ` of at most ${high}`;
  const above = exclusiveMinimum === undefined ? "" : ` above ${exclusiveMinimum}`;
  return `${above}${exclusiveMaximum === undefined ? "" : ` below ${exclusiveMaximum}`}`;
}

function span(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) {
    return least === most ? `exactly ${least}` : `${least} to ${most}`;
  }
  if (most !== undefined) return `at most ${most}`;
  return least === undefined ? "" : `at least ${least}`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?:…]$/.test(capital) ? capital : `${capital}.`;
}
