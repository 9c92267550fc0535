/**
 * Conditions: small questions about JSON values, such as `output.score >= 80 && !output.blocked`.
 * They are plain data; reading and answering them never runs code.
 */

import { type JsonPath, printPath } from "./json-path.ts";
import { writeStringLiteral } from "./string-literal.ts";

export type Comparison = "===" | "!==" | ">=" | "<=" | ">" | "<";

export interface Literal {
  readonly kind: "literal";
  readonly value: string | number | boolean | null;
}

export interface PathOperand {
  readonly kind: "path";
  readonly path: JsonPath;
}

/** Written out after `in`, and nowhere else. */
export interface List {
  readonly kind: "list";
  readonly items: readonly (Literal | PathOperand)[];
}

export type Condition =
  | Literal
  | PathOperand
  | { readonly kind: "not"; readonly operand: Condition }
  /** Two operands or more; `a && b && c` is one node. */
  | { readonly kind: "and" | "or"; readonly operands: readonly Condition[] }
  | {
      readonly kind: "compare";
      readonly operator: Comparison;
      readonly left: Condition;
      readonly right: Condition;
    }
  | { readonly kind: "in"; readonly left: Condition; readonly right: Condition | List };

/** Reading the printed text gives the same condition again. */
export function printCondition(condition: Condition): string {
  switch (condition.kind) {
    case "literal":
      return printLiteral(condition);
    case "path":
      return printPath(condition.path);
    case "not":
      return `!${within(condition.operand, BINDING.not)}`;
    case "and":
    case "or": {
      const sign = condition.kind === "and" ? " && " : " || ";
      const tighter = BINDING[condition.kind] + 1;
      return condition.operands.map((operand) => within(operand, tighter)).join(sign);
    }
    case "compare":
      return `${side(condition.left)} ${condition.operator} ${side(condition.right)}`;
  }
  const { left, right } = condition;
  return `${side(left)} in ${right.kind === "list" ? printList(right) : side(right)}`;
}

/** Every path the condition may look at, each once, in reading order. */
export function conditionPaths(condition: Condition): JsonPath[] {
  const found = new Map<string, JsonPath>();
  const visit = (node: Condition | List): void => {
    switch (node.kind) {
      case "literal":
        return;
      case "path":
        found.set(printPath(node.path), node.path);
        return;
      case "list":
        return node.items.forEach(visit);
      case "not":
        return visit(node.operand);
      case "and":
      case "or":
        return node.operands.forEach(visit);
      case "compare":
      case "in":
        visit(node.left);
        visit(node.right);
    }
  };
  visit(condition);
  return [...found.values()];
}

const BINDING = { or: 1, and: 2, compare: 3, in: 3, not: 4, literal: 5, path: 5 } as const;

function within(condition: Condition, atLeast: number): string {
  const text = printCondition(condition);
  return BINDING[condition.kind] >= atLeast ? text : `(${text})`;
}

function side(condition: Condition): string {
  return within(condition, BINDING.compare + 1);
}

function printList(list: List): string {
  return `[${list.items.map(printCondition).join(", ")}]`;
}

function printLiteral({ value }: Literal): string {
  return typeof value === "string" ? writeStringLiteral(value, "'") : String(value);
}
