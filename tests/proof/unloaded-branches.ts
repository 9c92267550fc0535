/** Ways through a source file that was never loaded, counted in its text: functions, and what is done on a condition. */

import { parseSource, visit } from "./mutation/syntax.ts";

const WAYS: ReadonlyMap<string, number> = new Map([
  ["FunctionDeclaration", 1],
  ["FunctionExpression", 1],
  ["ArrowFunctionExpression", 1],
  ["IfStatement", 1],
  ["ConditionalExpression", 2],
  ["LogicalExpression", 1],
  ["SwitchCase", 1],
  ["CatchClause", 1],
  ["ForStatement", 1],
  ["ForOfStatement", 1],
  ["ForInStatement", 1],
  ["WhileStatement", 1],
]);

/** None where a file has only types and names. */
export function countBranches(file: string, source: string): number {
  let count = 0;
  visit(parseSource(file, source), ({ type, alternate }) => {
    const isElse = type === "IfStatement" && alternate !== null;
    count += (WAYS.get(type) ?? 0) + (isElse ? 1 : 0);
  });
  return count;
}
