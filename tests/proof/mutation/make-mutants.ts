/**
 * A source file → every small change of it that its tests should notice. Types, comments and the names of modules
 * stay; two changes that come to the same are made once.
 */

import { regexMutants } from "./regex-mutants.ts";
import {
  nodeIn,
  nodesIn,
  type Place,
  parseSource,
  type SyntaxNode,
  textIn,
  visit,
} from "./syntax.ts";

export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** The line as it stands, without its indent. */
  readonly lineText: string;
  readonly was: string;
  readonly becomes: string;
  /** The whole file, changed, and as it was. */
  readonly source: string;
  readonly original: string;
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function makeMutants(file: string, source: string): readonly Mutant[] {
  const changes = new Map<string, Change>();
  visit(parseSource(file, source), (node, place) => {
    for (const change of changesOf(node, place, source)) {
      const { start, end, text } = change;
      if (source.slice(start, end) !== text) changes.set(`${start} ${end} ${text}`, change);
    }
  });
  return [...changes.values()].map(({ start, end, text }) => {
    const before = source.slice(0, start);
    const lineStart = before.lastIndexOf("\n") + 1;
    return {
      file,
      line: before.split("\n").length,
      lineText: (source.slice(lineStart).split("\n", 1)[0] ?? "").trim(),
      was: onOneLine(source.slice(start, end)),
      becomes: onOneLine(text),
      source: before + text + source.slice(end),
      original: source,
    };
  });
}

const LONGEST_SHOWN = 100;

function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= LONGEST_SHOWN) return line;
  return `${line.slice(0, LONGEST_SHOWN / 2)} … ${line.slice(-LONGEST_SHOWN / 2)}`;
}

const BINARY: ReadonlyMap<string, readonly string[]> = new Map([
  ["<", ["<=", ">="]],
  ["<=", ["<", ">"]],
  [">", [">=", "<="]],
  [">=", [">", "<"]],
  ["===", ["!=="]],
  ["!==", ["==="]],
  ["==", ["!="]],
  ["!=", ["=="]],
  ["+", ["-"]],
  ["-", ["+"]],
  ["*", ["/"]],
  ["/", ["*"]],
  ["%", ["*"]],
  ["**", ["*"]],
  ["&", ["|"]],
  ["|", ["&"]],
  ["^", ["&"]],
  ["<<", [">>"]],
  [">>", ["<<"]],
  [">>>", ["<<"]],
]);
const ASSIGNMENT: ReadonlyMap<string, string> = new Map([
  ["+=", "-="],
  ["-=", "+="],
  ["*=", "/="],
  ["/=", "*="],
  ["??=", "="],
  ["||=", "="],
  ["&&=", "="],
]);
const SWAPPED_METHODS: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["min", "max"],
  ["max", "min"],
  ["floor", "ceil"],
  ["ceil", "floor"],
  ["find", "findLast"],
  ["findLast", "find"],
  ["indexOf", "lastIndexOf"],
  ["lastIndexOf", "indexOf"],
  ["trimStart", "trimEnd"],
  ["trimEnd", "trimStart"],
  ["toLowerCase", "toUpperCase"],
  ["toUpperCase", "toLowerCase"],
]);
const DROPPED_METHODS = new Set([
  "filter",
  "sort",
  "toSorted",
  "reverse",
  "toReversed",
  "slice",
  "trim",
  "normalize",
  "toWellFormed",
  "concat",
  "replace",
  "replaceAll",
  "padStart",
  "padEnd",
  "toLowerCase",
  "toUpperCase",
]);

function changesOf(node: SyntaxNode, place: Place, source: string): readonly Change[] {
  const of = (part: SyntaxNode) => source.slice(part.start, part.end);
  // `??` does not stand beside other operators without brackets.
  const apart = (part: SyntaxNode) =>
    textIn(part, "operator") === "??" ? `(${of(part)})` : of(part);
  const become = (...texts: readonly string[]) =>
    texts.map((text) => ({ start: node.start, end: node.end, text }));
  const left = nodeIn(node, "left");
  const right = nodeIn(node, "right");
  const operator = textIn(node, "operator");
  switch (node.type) {
    case "BinaryExpression":
      if (left === undefined || right === undefined) return [];
      if (operator === "+" && [left, right].some(isText)) return [];
      return become(
        ...(BINARY.get(operator) ?? []).map((other) => `(${of(left)} ${other} ${of(right)})`),
      );
    case "LogicalExpression":
      if (left === undefined || right === undefined) return [];
      return become(`(${apart(left)} ${operator === "&&" ? "||" : "&&"} ${apart(right)})`);
    case "AssignmentExpression": {
      const other = ASSIGNMENT.get(operator);
      if (left === undefined || right === undefined || other === undefined) return [];
      return become(`${of(left)} ${other} ${of(right)}`);
    }
    case "UnaryExpression":
      if (operator !== "!" && operator !== "-") return [];
      return become(`(${source.slice(node.start + 1, node.end)})`);
    case "UpdateExpression":
      return become(of(node).replace(operator, operator === "++" ? "--" : "++"));
    case "IfStatement":
    case "ConditionalExpression":
      return forced(nodeIn(node, "test"), ["true", "false"]);
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
      return forced(nodeIn(node, "test"), ["false"]);
    case "Literal":
      return become(...otherLiterals(node, place));
    case "TemplateLiteral":
      return place.field === "quasi" || of(node) === "``" ? [] : become("``");
    case "BlockStatement":
      return isEmptied(node, place) ? become("{}") : [];
    case "ExpressionStatement":
    case "ThrowStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return isOneOfMany(node, place) ? become(";") : [];
    case "SwitchCase":
      return emptiedCase(node, place);
    case "ReturnStatement":
      return otherResults(nodeIn(node, "argument"));
    case "ArrowFunctionExpression": {
      const body = nodeIn(node, "body");
      return body?.type === "BlockStatement" ? [] : otherResults(body);
    }
    case "ArrayExpression":
    case "ObjectExpression":
      return emptied(node, of);
    case "MemberExpression":
    case "CallExpression":
      return [...withoutQuestion(node, source), ...otherMethod(node, of)];
    default:
      return [];
  }
}

function isText({ type, value }: SyntaxNode): boolean {
  return type === "TemplateLiteral" || typeof value === "string";
}

function forced(test: SyntaxNode | undefined, values: readonly string[]): readonly Change[] {
  if (test === undefined) return [];
  return values.map((text) => ({ start: test.start, end: test.end, text }));
}

function otherLiterals(node: SyntaxNode, { parent, field }: Place): readonly string[] {
  const { value } = node;
  const isName = (field === "key" || field === "property") && parent["computed"] !== true;
  const isDirective = parent.type === "ExpressionStatement";
  // `typeof x === ""` says no more than the comparison forced to be false.
  const isTypeName = [nodeIn(parent, "left"), nodeIn(parent, "right")].some(
    (side) => side?.type === "UnaryExpression" && side["operator"] === "typeof",
  );
  if (isName || isDirective || isTypeName) return [];
  const regex = node["regex"];
  if (typeof regex === "object" && regex !== null && "pattern" in regex && "flags" in regex)
    return regexMutants(String(regex.pattern), String(regex.flags));
  if (typeof value === "string") return [value === "" ? '"other"' : '""'];
  if (typeof value === "boolean") return [String(!value)];
  return typeof value === "number" ? [String(value + 1)] : [];
}

const LOOPS = new Set(["WhileStatement", "DoWhileStatement", "ForStatement"]);

/** A body that is emptied by another change, too, is left to that one. */
function isEmptied(node: SyntaxNode, { parent, field }: Place): boolean {
  const body = nodesIn(node, "body");
  if (body.length === 0 || LOOPS.has(parent.type)) return false;
  if (parent.type === "IfStatement" && field === "consequent") return parent["alternate"] !== null;
  return !(
    body.length === 1 &&
    body[0]?.type === "ReturnStatement" &&
    body[0]["argument"] !== null
  );
}

function isOneOfMany(node: SyntaxNode, { parent, field }: Place): boolean {
  if ("directive" in node && typeof node["directive"] === "string") return false;
  return (field === "body" || field === "consequent") && nodesIn(parent, field).length > 1;
}

/** It falls through to the next. */
function emptiedCase(node: SyntaxNode, { parent }: Place): readonly Change[] {
  const statements = nodesIn(node, "consequent");
  const [first] = statements;
  const last = statements.at(-1);
  if (first === undefined || last === undefined || nodesIn(parent, "cases").at(-1) === node)
    return [];
  return [{ start: first.start, end: last.end, text: "" }];
}

const CONDITIONS = new Set([
  "===",
  "!==",
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "instanceof",
  "!",
]);

function otherResults(result: SyntaxNode | undefined): readonly Change[] {
  if (result === undefined || result.type === "Literal") return [];
  if (result.type === "Identifier" && result["name"] === "undefined") return [];
  const operator = textIn(result, "operator");
  const isCondition =
    CONDITIONS.has(operator) || (result.type === "LogicalExpression" && operator !== "??");
  const { start, end } = result;
  return (isCondition ? ["true", "false"] : ["undefined"]).map((text) => ({ start, end, text }));
}

/** All of it, and what is spread into it piece by piece. */
function emptied(node: SyntaxNode, of: (node: SyntaxNode) => string): readonly Change[] {
  const isArray = node.type === "ArrayExpression";
  const parts = nodesIn(node, isArray ? "elements" : "properties");
  const { start, end } = node;
  const wrap = (kept: readonly SyntaxNode[]) => {
    const inside = kept.map(of).join(", ");
    return { start, end, text: isArray ? `[${inside}]` : `({${inside}})` };
  };
  if (parts.length === 0) return [];
  const spreads = parts.filter(({ type }) => type === "SpreadElement");
  return [wrap([]), ...spreads.map((spread) => wrap(parts.filter((part) => part !== spread)))];
}

function withoutQuestion(node: SyntaxNode, source: string): readonly Change[] {
  const inner = nodeIn(node, node.type === "CallExpression" ? "callee" : "object");
  if (node["optional"] !== true || inner === undefined) return [];
  const start = source.indexOf("?.", inner.end);
  const isDot = node.type === "MemberExpression" && node["computed"] !== true;
  return [{ start, end: start + 2, text: isDot ? "." : "" }];
}

function otherMethod(node: SyntaxNode, of: (node: SyntaxNode) => string): readonly Change[] {
  const callee = nodeIn(node, "callee");
  if (callee?.type !== "MemberExpression" || callee["computed"] === true) return [];
  const name = nodeIn(callee, "property");
  const object = nodeIn(callee, "object");
  if (name === undefined || object === undefined) return [];
  const swapped = SWAPPED_METHODS.get(of(name));
  return [
    ...(swapped === undefined ? [] : [{ start: name.start, end: name.end, text: swapped }]),
    ...(DROPPED_METHODS.has(of(name))
      ? [{ start: node.start, end: node.end, text: of(object) }]
      : []),
  ];
}
