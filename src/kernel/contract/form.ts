/**
 * A contract as a form for people: what a model may answer, a person may fill in, in a terminal or
 * on a page. Objects inside objects become fields of their own, named by their path.
 */

import { checkValue } from "./check-value.ts";
import type { Contract } from "./contract.ts";
import { words } from "./example.ts";
import { isReservedKey } from "./inspect.ts";
import type { Reading } from "./reading.ts";
import { branchesOf, choicesOf, resolveShape, type Shape, shapeOf, typesOf } from "./shape.ts";
import { describeType } from "./skeleton.ts";

type FieldType =
  | "text"
  | "longtext"
  | "number"
  | "confirm"
  | "choice"
  | "multiselect"
  | "json"
  | "list";

interface FormOption {
  readonly value: string | number | boolean;
  readonly label: string;
}

export interface FormField {
  /** Path of the value, its segments joined by dots: the key of the answer. */
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly options?: readonly FormOption[];
  readonly help?: string;
  readonly initial?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

const MOST_NESTING = 3;
const LONG_TEXT = 200;
const forms = new WeakMap<Contract, readonly FormField[]>();

export function formOf(contract: Contract): readonly FormField[] {
  const known = forms.get(contract);
  if (known !== undefined) return known;
  const root = shapeOf(contract);
  const made = fieldsOf(resolveShape(root, root), root, [], true, 0);
  forms.set(contract, made);
  return made;
}

/** Answers as forms and terminals give them, by field name; what is left empty is absent. */
export function readForm<Value>(
  contract: Contract<Value>,
  answers: Readonly<Record<string, unknown>>,
): Reading<Value> {
  const value: Record<string, unknown> = {};
  for (const { name, type } of formOf(contract)) {
    const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
    if (answer === undefined || answer === "" || answer === null) continue;
    if (name === "") return checkValue(contract, answer);
    setAt(value, name.split("."), toValue(type, answer));
  }
  return checkValue(contract, value);
}

function fieldsOf(
  shape: Shape,
  root: Shape,
  path: readonly string[],
  required: boolean,
  depth: number,
): FormField[] {
  const properties = Object.entries(shape.properties ?? {});
  if (properties.length === 0 || depth > MOST_NESTING)
    return [fieldFor(shape, root, path, required)];
  return properties.flatMap(([key, given]) => {
    const field = withoutNull(given, root);
    const isRequired = required && shape.required?.includes(key) === true;
    const at = [...path, key];
    const isGroup = field.properties !== undefined && !key.includes(".");
    return isGroup
      ? fieldsOf(field, root, at, isRequired, depth + 1)
      : [fieldFor(field, root, at, isRequired)];
  });
}

function fieldFor(
  shape: Shape,
  root: Shape,
  path: readonly string[],
  required: boolean,
): FormField {
  const options = optionsOf(shape, root);
  const help = shape.description ?? describeType(shape, root);
  const label = shape.title ?? capitalised(path.map(words).join(": ") || "answer");
  return {
    name: path.join("."),
    label,
    type: typeOf(shape, root),
    required,
    ...(options === undefined ? {} : { options }),
    help,
    ...(shape.default === undefined ? {} : { initial: shape.default }),
    ...bounds(shape),
  };
}

function typeOf(shape: Shape, root: Shape): FieldType {
  if (choicesOf(shape) !== undefined) return "choice";
  const types = typesOf(shape).filter((type) => type !== "null");
  if (branchesOf(shape) !== undefined || types.length !== 1) return "json";
  switch (types[0]) {
    case "string":
      return shape.longtext === true || (shape.maxLength ?? 0) > LONG_TEXT ? "longtext" : "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "confirm";
    case "array": {
      const item = withoutNull(typeof shape.items === "object" ? shape.items : {}, root);
      if (choicesOf(item) !== undefined) return "multiselect";
      return typesOf(item).join() === "string" ? "list" : "json";
    }
    default:
      return "json";
  }
}

function optionsOf(shape: Shape, root: Shape): FormOption[] | undefined {
  const item = typeof shape.items === "object" ? withoutNull(shape.items, root) : {};
  const choices = choicesOf(shape) ?? choicesOf(item);
  return choices?.map((value) => ({ value, label: String(value) }));
}

function bounds({ minimum, maximum }: Shape): { minimum?: number; maximum?: number } {
  const isReal = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  return { ...(isReal(minimum) ? { minimum } : {}), ...(isReal(maximum) ? { maximum } : {}) };
}

/** `X or null` is an X that may be left empty. */
function withoutNull(given: Shape, root: Shape): Shape {
  const shape = resolveShape(given, root);
  const [only, second] = (branchesOf(shape) ?? []).filter(({ type }) => type !== "null");
  if (only === undefined || second !== undefined) return shape;
  const { anyOf: _any, oneOf: _one, ...beside } = shape;
  return { ...resolveShape(only, root), ...beside };
}

function toValue(type: FieldType, answer: unknown): unknown {
  if (typeof answer !== "string") return answer;
  if (type === "list" || type === "multiselect") {
    return answer
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean);
  }
  if (type === "confirm" && /^(?:y|yes|n|no)$/i.test(answer.trim()))
    return /^y/i.test(answer.trim());
  if (type !== "json") return answer;
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    return answer;
  }
}

function setAt(value: Record<string, unknown>, path: readonly string[], leaf: unknown): void {
  const [key, ...rest] = path;
  if (key === undefined || isReservedKey(key)) return;
  if (rest.length === 0) {
    value[key] = leaf;
    return;
  }
  const inner = Object.hasOwn(value, key) ? value[key] : undefined;
  const object = (inner ?? {}) as Record<string, unknown>;
  value[key] = object;
  setAt(object, rest, leaf);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
