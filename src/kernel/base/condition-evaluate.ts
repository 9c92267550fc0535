/**
 * Answers a condition over a scope: true, false, or unknown.
 *
 * Unknown is an answer of its own, so that a route is never taken on a guess: an absent path inside
 * a comparison and operands of different types are unknown, and `&&`, `||`, `!` carry that on
 * unless the other operands decide. Alone, a path that is absent or null counts as false.
 * A condition looks only at data, so answering one cannot change anything.
 */

import {
  type Comparison,
  type Condition,
  type List,
  type PathOperand,
  printCondition,
} from "./condition.ts";
import { type JsonType, jsonTypeOf, lookUp, printPath } from "./json-path.ts";

export interface Evaluation {
  readonly result: "true" | "false" | "unknown";
  /** Why it is unknown, or which absent values counted as false. */
  readonly reason?: string;
  /** Every path that was looked at, each once, in order. */
  readonly evaluated: readonly LookedAt[];
}

export interface LookedAt {
  readonly path: string;
  readonly type: JsonType | "absent";
  /** Of null, booleans, numbers and strings; a string longer than 200 is cut here. */
  readonly value?: string | number | boolean | null;
  /** The whole length of a string or array. */
  readonly length?: number;
  /** The first piece of the path that is not there. */
  readonly missing?: string;
}

const SHOWN_CHARACTERS = 200;

export function evaluateCondition(condition: Condition, scope: unknown): Evaluation {
  const trail: Trail = { scope, seen: new Map(), notes: [] };
  const answer = answerOf(condition, trail);
  const reason = isUnknown(answer) ? answer.unknown : trail.notes.join("; ");
  return {
    result: isUnknown(answer) ? "unknown" : answer ? "true" : "false",
    ...(reason === "" ? {} : { reason }),
    evaluated: [...trail.seen.values()],
  };
}

interface Trail {
  readonly scope: unknown;
  readonly seen: Map<string, LookedAt>;
  readonly notes: string[];
}

interface Unknown {
  readonly unknown: string;
}

type Answer = boolean | Unknown;

/** What an operand of a comparison holds; `known` keeps a found value apart from a reason. */
type Held =
  | { readonly known: true; readonly value: unknown }
  | ({ readonly known: false } & Unknown);

function isUnknown(answer: Answer): answer is Unknown {
  return typeof answer === "object";
}

function answerOf(condition: Condition, trail: Trail): Answer {
  switch (condition.kind) {
    case "literal":
      return Boolean(condition.value);
    case "path":
      return answerOfPath(condition, trail);
    case "not": {
      const answer = answerOf(condition.operand, trail);
      return isUnknown(answer) ? answer : !answer;
    }
    case "and":
      return combine(condition.operands, trail, false);
    case "or":
      return combine(condition.operands, trail, true);
    case "compare":
      return compare(condition, trail);
  }
  return contains(condition, trail);
}

/** `&&` is decided by the first false operand, `||` by the first true one, wherever it stands. */
function combine(operands: readonly Condition[], trail: Trail, deciding: boolean): Answer {
  const reasons: string[] = [];
  for (const operand of operands) {
    const answer = answerOf(operand, trail);
    if (answer === deciding) return deciding;
    if (isUnknown(answer)) reasons.push(answer.unknown);
  }
  return reasons.length === 0 ? !deciding : { unknown: [...new Set(reasons)].join("; ") };
}

function answerOfPath(operand: PathOperand, trail: Trail): Answer {
  const path = printPath(operand.path);
  const held = look(operand, trail);
  if (!held.known || held.value === null) {
    const fact = held.known ? `${path} is null` : held.unknown;
    trail.notes.push(`${fact}, which counts as false`);
    return false;
  }
  // A model that writes "false" does not mean true, which is what a non-empty string would be.
  if (typeof held.value === "string" && held.value.trim().toLowerCase() === "false") {
    return { unknown: `${path} is the string "${held.value}", not a boolean` };
  }
  return Boolean(held.value);
}

function compare(condition: Extract<Condition, { kind: "compare" }>, trail: Trail): Answer {
  const left = hold(condition.left, trail);
  const right = hold(condition.right, trail);
  if (!left.known || !right.known) return whyUnknown(left, right);
  const equality = condition.operator === "===" || condition.operator === "!==";
  // A written `null` asks whether the value is null: a question any type can answer.
  if (equality && (isWrittenNull(condition.left) || isWrittenNull(condition.right))) {
    return (left.value === right.value) === (condition.operator === "===");
  }
  const type = jsonTypeOf(left.value);
  if (type !== jsonTypeOf(right.value)) {
    return { unknown: differentTypes(condition.left, left.value, condition.right, right.value) };
  }
  const outcome = compareSame(left.value, right.value, condition.operator);
  if (outcome !== undefined) return outcome;
  return {
    unknown: `${name(condition.left)} and ${name(condition.right)} are of type ${type}, which ${condition.operator} cannot compare`,
  };
}

function compareSame(left: unknown, right: unknown, operator: Comparison): boolean | undefined {
  if (typeof left === "object" && left !== null) return undefined;
  if (operator === "===") return left === right;
  if (operator === "!==") return left !== right;
  if (typeof left === "number" && typeof right === "number") return ordered(left, right, operator);
  if (typeof left === "string" && typeof right === "string") return ordered(left, right, operator);
  return undefined;
}

function ordered<Value extends number | string>(
  left: Value,
  right: Value,
  operator: Exclude<Comparison, "===" | "!==">,
): boolean {
  switch (operator) {
    case ">=":
      return left >= right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
  }
  return left < right;
}

/** `x in [a, b]` means `x === a || x === b`; `"name" in object` asks for an own field. */
function contains(condition: Extract<Condition, { kind: "in" }>, trail: Trail): Answer {
  const left = hold(condition.left, trail);
  if (condition.right.kind === "list") return inList(condition.left, left, condition.right, trail);
  const right = hold(condition.right, trail);
  if (!left.known || !right.known) return whyUnknown(left, right);
  if (Array.isArray(right.value)) {
    return inValues(condition.left, left.value, condition.right, right.value);
  }
  if (typeof right.value === "object" && right.value !== null && typeof left.value === "string") {
    return Object.hasOwn(right.value, left.value);
  }
  return {
    unknown: `${name(condition.right)} is ${withArticle(right.value)}: \`in\` looks for a value in an array or for a field name in an object`,
  };
}

function inList(operand: Condition, left: Held, list: List, trail: Trail): Answer {
  const items = list.items.map((item) => ({ item, held: hold(item, trail) }));
  if (!left.known) return left;
  const reasons: string[] = [];
  for (const { item, held } of items) {
    if (!held.known) reasons.push(held.unknown);
    else if (held.value === left.value && isScalar(held.value)) return true;
    else if (mismatched(held.value, left.value)) {
      reasons.push(differentTypes(operand, left.value, item, held.value));
    }
  }
  return reasons.length === 0 ? false : { unknown: reasons.join("; ") };
}

function inValues(
  operand: Condition,
  value: unknown,
  container: Condition,
  values: readonly unknown[],
): Answer {
  if (isScalar(value) && values.includes(value)) return true;
  const other = values.find((candidate) => mismatched(candidate, value));
  if (other === undefined) return false;
  return {
    unknown: `${name(operand)} is ${withArticle(value)} and ${name(container)} holds ${withArticle(other)}`,
  };
}

/** Null stands for "nothing" in lists of every type, so it never makes one incomparable. */
function mismatched(candidate: unknown, value: unknown): boolean {
  if (candidate === null) return false;
  return jsonTypeOf(candidate) !== jsonTypeOf(value) || !isScalar(candidate);
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

function hold(condition: Condition, trail: Trail): Held {
  if (condition.kind === "literal") return { known: true, value: condition.value };
  if (condition.kind === "path") return look(condition, trail);
  const answer = answerOf(condition, trail);
  return isUnknown(answer) ? { known: false, ...answer } : { known: true, value: answer };
}

function look(operand: PathOperand, trail: Trail): Held {
  const path = printPath(operand.path);
  const lookup = lookUp(trail.scope, operand.path);
  if (!lookup.found) {
    trail.seen.set(path, { path, type: "absent", missing: lookup.missing });
    return { known: false, unknown: `${path} is absent (${lookup.reason})` };
  }
  trail.seen.set(path, describe(path, lookup.value));
  return { known: true, value: lookup.value };
}

function describe(path: string, value: unknown): LookedAt {
  if (value === null) return { path, type: "null", value };
  if (Array.isArray(value)) return { path, type: "array", length: value.length };
  switch (typeof value) {
    case "string":
      return { path, type: "string", value: shown(value), length: value.length };
    case "number":
      return { path, type: "number", value };
    case "boolean":
      return { path, type: "boolean", value };
    default:
      return { path, type: "object" };
  }
}

function shown(text: string): string {
  return text.slice(0, SHOWN_CHARACTERS).toWellFormed();
}

function whyUnknown(...operands: readonly Held[]): Unknown {
  const reasons = operands.flatMap((held) => (held.known ? [] : [held.unknown]));
  return { unknown: [...new Set(reasons)].join("; ") };
}

function isWrittenNull(condition: Condition): boolean {
  return condition.kind === "literal" && condition.value === null;
}

function differentTypes(left: Condition, a: unknown, right: Condition, b: unknown): string {
  return `${name(left)} is ${withArticle(a)} and ${name(right)} is ${withArticle(b)}`;
}

function name(condition: Condition): string {
  const text = printCondition(condition);
  return text.length <= 80 ? text : `${text.slice(0, 79).toWellFormed()}…`;
}

function withArticle(value: unknown): string {
  const type = jsonTypeOf(value);
  if (type === "null") return type;
  return type === "array" || type === "object" ? `an ${type}` : `a ${type}`;
}
