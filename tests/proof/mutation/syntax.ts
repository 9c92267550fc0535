/** The tree of a source file, as far as mutants need it: what is a type is left out. */

import { parseSync } from "rolldown/utils";

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Where a node stands: what holds it, and in which of its fields. */
export interface Place {
  readonly parent: SyntaxNode;
  readonly field: string;
}

export function parseSource(file: string, source: string): SyntaxNode {
  const { program, errors } = parseSync(file, source, { lang: "ts" });
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${file}: ${error.message}`);
  const root: unknown = program;
  if (!isNode(root)) throw new TypeError(`${file} has no tree`);
  return root;
}

/** What is there for the compiler alone, or names another module. */
const LEFT_OUT = /^(?:TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|ExportAll)/;

export function visit(
  node: SyntaxNode,
  look: (node: SyntaxNode, place: Place) => void,
  place: Place = { parent: node, field: "" },
): void {
  if (LEFT_OUT.test(node.type)) return;
  look(node, place);
  for (const [field, value] of Object.entries(node)) {
    for (const child of [value].flat()) {
      if (isNode(child)) visit(child, look, { parent: node, field });
    }
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}

export function nodeIn(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field];
  return isNode(value) ? value : undefined;
}

export function nodesIn(node: SyntaxNode, field: string): readonly SyntaxNode[] {
  return [node[field]].flat().filter(isNode);
}

export function textIn(node: SyntaxNode, field: string): string {
  const value = node[field];
  return typeof value === "string" ? value : "";
}
