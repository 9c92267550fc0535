/** Reads the text of a condition, once; every refusal points at the place. */

import type { Comparison, Condition, List, Literal, PathOperand } from "./condition.ts";
import { scanPath } from "./json-path.ts";
import { scanStringLiteral } from "./string-literal.ts";
import { errorAt, type Fault, nameCharacter } from "./text-position.ts";

export const CONDITION_LIMITS = { characters: 2_000, nodes: 200, depth: 20 } as const;

/** Longer signs stand before their own beginnings. */
const SIGNS = ["===", "!==", "==", "!=", ">=", "<=", "&&", "||", ">", "<"] as const;
type Operator = (typeof SIGNS)[number] | "in";

const BINDING: Readonly<Record<Operator, number>> = {
  "||": 1,
  "&&": 2,
  "===": 3,
  "!==": 3,
  "==": 3,
  "!=": 3,
  ">=": 3,
  "<=": 3,
  ">": 3,
  "<": 3,
  in: 3,
};

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\p{ID_Continue}$.])/uy;
const SPACE = /[ \t\r\n]+/y;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const WORDS: ReadonlyMap<string, Literal["value"]> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

interface Reader {
  readonly text: string;
  offset: number;
  nodes: number;
  depth: number;
}

export function parseCondition(text: string): Condition {
  if (text.length > CONDITION_LIMITS.characters) {
    throw tooLarge(text, CONDITION_LIMITS.characters, `${CONDITION_LIMITS.characters} characters`);
  }
  const reader: Reader = { text, offset: 0, nodes: 0, depth: 0 };
  skipSpace(reader);
  const condition = readExpression(reader, 0);
  if (reader.offset < text.length) throw unexpected(reader);
  return condition;
}

function readExpression(reader: Reader, loosest: number): Condition {
  let left = readOperand(reader);
  for (;;) {
    const operator = peekOperator(reader);
    if (operator === undefined || BINDING[operator] < loosest) return left;
    left =
      operator === "&&" || operator === "||"
        ? readChain(reader, left, operator)
        : readComparison(reader, left, operator);
  }
}

function readChain(reader: Reader, first: Condition, operator: "&&" | "||"): Condition {
  const operands = [first];
  while (peekOperator(reader) === operator) {
    take(reader, operator.length);
    operands.push(readExpression(reader, BINDING[operator] + 1));
  }
  return counted(reader, { kind: operator === "&&" ? "and" : "or", operands });
}

function readComparison(
  reader: Reader,
  left: Condition,
  operator: Exclude<Operator, "&&" | "||">,
): Condition {
  take(reader, operator.length);
  const condition: Condition =
    operator === "in"
      ? { kind: "in", left, right: readContainer(reader) }
      : {
          kind: "compare",
          operator: strict(operator),
          left,
          right: readOperand(reader),
        };
  const next = peekOperator(reader);
  if (next !== undefined && BINDING[next] === BINDING[operator]) {
    throw invalid(
      reader,
      `A comparison cannot be followed by ${next}`,
      "Write both halves, as in 0 < x && x < 10, or use parentheses.",
    );
  }
  return counted(reader, condition);
}

function strict(operator: Comparison | "==" | "!="): Comparison {
  if (operator === "==") return "===";
  return operator === "!=" ? "!==" : operator;
}

function readOperand(reader: Reader): Condition {
  const { text, offset } = reader;
  switch (text.charAt(offset)) {
    case "(":
      return nested(reader, () => {
        take(reader, 1);
        const inner = readExpression(reader, 0);
        expect(reader, ")");
        return inner;
      });
    case "!":
      return nested(reader, () => {
        take(reader, 1);
        return counted(reader, { kind: "not", operand: readOperand(reader) });
      });
    default:
      return readSimple(reader);
  }
}

function readContainer(reader: Reader): Condition | List {
  if (reader.text.charAt(reader.offset) !== "[") return readOperand(reader);
  take(reader, 1);
  const items: (Literal | PathOperand)[] = [];
  while (reader.text.charAt(reader.offset) !== "]") {
    if (items.length > 0) expect(reader, ",");
    items.push(readSimple(reader));
  }
  take(reader, 1);
  return counted(reader, { kind: "list", items });
}

function readSimple(reader: Reader): Literal | PathOperand {
  const { text, offset } = reader;
  const first = text.charAt(offset);
  if (first === '"' || first === "'") {
    const { value, end } = scanned(reader, scanStringLiteral(text, offset));
    take(reader, end - offset);
    return counted(reader, { kind: "literal", value });
  }
  if (/[-0-9]/.test(first)) return readNumber(reader);
  const word = peekWord(reader);
  if (word === undefined || word === "in") throw unexpected(reader);
  if (word === "undefined") {
    throw invalid(
      reader,
      "Conditions have no undefined",
      "A path alone is false when it is absent or null: write output.error or !output.error.",
    );
  }
  const value = WORDS.get(word);
  if (value !== undefined) {
    take(reader, word.length);
    return counted(reader, { kind: "literal", value });
  }
  const { path, end } = scanned(reader, scanPath(text, offset));
  take(reader, end - offset);
  return counted(reader, { kind: "path", path });
}

function readNumber(reader: Reader): Literal {
  NUMBER.lastIndex = reader.offset;
  const digits = NUMBER.exec(reader.text)?.[0];
  if (digits === undefined) {
    throw invalid(reader, "This is not a number", "Numbers look like 80, -1.5 or 2e3.");
  }
  const value = Number(digits);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw invalid(
      reader,
      "This number is too large to be compared exactly",
      "Keep long numbers as texts, in the data and here.",
    );
  }
  take(reader, digits.length);
  return counted(reader, { kind: "literal", value: value === 0 ? 0 : value });
}

function peekOperator(reader: Reader): Operator | undefined {
  const sign = SIGNS.find((candidate) => reader.text.startsWith(candidate, reader.offset));
  return sign ?? (peekWord(reader) === "in" ? "in" : undefined);
}

function peekWord(reader: Reader): string | undefined {
  WORD.lastIndex = reader.offset;
  return WORD.exec(reader.text)?.[0];
}

function take(reader: Reader, length: number): void {
  reader.offset += length;
  skipSpace(reader);
}

function skipSpace(reader: Reader): void {
  SPACE.lastIndex = reader.offset;
  reader.offset += SPACE.exec(reader.text)?.[0].length ?? 0;
}

function expect(reader: Reader, sign: string): void {
  if (reader.text.charAt(reader.offset) !== sign) throw unexpected(reader, sign);
  take(reader, 1);
}

function nested(reader: Reader, read: () => Condition): Condition {
  if (reader.depth === CONDITION_LIMITS.depth) {
    throw tooLarge(reader.text, reader.offset, `${CONDITION_LIMITS.depth} levels`);
  }
  reader.depth += 1;
  const condition = read();
  reader.depth -= 1;
  return condition;
}

function counted<Node>(reader: Reader, node: Node): Node {
  reader.nodes += 1;
  if (reader.nodes > CONDITION_LIMITS.nodes) {
    throw tooLarge(reader.text, reader.offset, `${CONDITION_LIMITS.nodes} pieces`);
  }
  return node;
}

/** Paths and texts have fault codes of their own; whoever reads conditions sees one. */
function scanned<Result extends object>(reader: Reader, result: Result | Fault): Result {
  if (!("code" in result)) return result;
  const details = { ...result.details, problem: result.code };
  throw errorAt(reader.text, { ...result, code: "condition_invalid", details });
}

function tooLarge(text: string, offset: number, limit: string) {
  return errorAt(text, {
    code: "condition_too_large",
    message: `A condition has at most ${limit}`,
    offset,
    hint: "Let the step before compute the answer and test that field.",
  });
}

function invalid(reader: Reader, message: string, hint?: string) {
  return errorAt(reader.text, {
    code: "condition_invalid",
    message,
    offset: reader.offset,
    ...(hint === undefined ? {} : { hint }),
  });
}

function unexpected(reader: Reader, wanted?: string) {
  if (reader.offset === reader.text.length) {
    return invalid(
      reader,
      reader.offset === 0 ? "The condition is empty" : "The condition stops too early",
    );
  }
  const word = peekWord(reader);
  const found = word === undefined ? nameCharacter(reader.text, reader.offset) : `"${word}"`;
  const message =
    wanted === undefined
      ? `A condition cannot have ${found} here`
      : `Here "${wanted}" is missing before ${found}`;
  return invalid(reader, message, adviceAbout(word ?? reader.text.charAt(reader.offset)));
}

function adviceAbout(found: string): string | undefined {
  switch (found) {
    case "=":
      return "Use === to compare; conditions cannot assign.";
    case "and":
    case "&":
      return "Write &&.";
    case "or":
    case "|":
      return "Write ||.";
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return 'Conditions cannot calculate. A name with a dash goes into brackets: steps["my-step"].';
    case "(":
      return "Conditions cannot call functions.";
    case "[":
      return "A written-out list may only follow `in`.";
    case "`":
      return "Texts stand in single or double quotes.";
    default:
      return undefined;
  }
}
