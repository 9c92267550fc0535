import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import {
  type Condition,
  conditionPaths,
  type List,
  type Literal,
  type PathOperand,
  printCondition,
} from "./condition.ts";
import { CONDITION_LIMITS, parseCondition } from "./condition-parse.ts";
import { ProductError } from "./errors.ts";
import { isReservedName, printPath } from "./json-path.ts";

const path = (...parts: (string | number)[]): PathOperand => ({ kind: "path", path: parts });
const literal = (value: Literal["value"]): Literal => ({ kind: "literal", value });

test("the seed's examples are read as they are meant", () => {
  assert.deepEqual(parseCondition("output.score >= 80"), {
    kind: "compare",
    operator: ">=",
    left: path("output", "score"),
    right: literal(80),
  });
  assert.deepEqual(parseCondition("output.status === 'approved'"), {
    kind: "compare",
    operator: "===",
    left: path("output", "status"),
    right: literal("approved"),
  });
  assert.deepEqual(parseCondition("output.items.length > 0"), {
    kind: "compare",
    operator: ">",
    left: path("output", "items", "length"),
    right: literal(0),
  });
  assert.deepEqual(parseCondition("output.shouldRetry"), path("output", "shouldRetry"));
});

test("double equals means triple equals", () => {
  assert.deepEqual(parseCondition("a == 1"), parseCondition("a === 1"));
  assert.deepEqual(parseCondition("a != 1"), parseCondition("a !== 1"));
});

test("not binds tighter than comparing, comparing than and, and than or", () => {
  const same: [string, string][] = [
    ["!a === b && c || d", "((((!a) === b) && c) || d)"],
    ["a || b && c || d", "a || (b && c) || d"],
    ["a in b && c", "(a in b) && c"],
    ["!!a", "!(!a)"],
    ["a&&!b||c<-1", "(a && (!b)) || (c < -1)"],
  ];

  for (const [loose, explicit] of same) {
    assert.deepEqual(parseCondition(loose), parseCondition(explicit), loose);
  }
  assert.notDeepEqual(parseCondition("a && (b || c)"), parseCondition("a && b || c"));
});

test("literals of every kind are read, with escapes in either quote", () => {
  const cases: [string, Literal["value"]][] = [
    ["-1.5e2", -150],
    ["0", 0],
    ["-0", 0],
    ["true", true],
    ["false", false],
    ["null", null],
    [`"it's \\"quoted\\" \\n \\u00e9 \\\\"`, `it's "quoted" \n é \\`],
    [`'say "hi" \\'now\\''`, `say "hi" 'now'`],
    [`""`, ""],
  ];

  for (const [text, value] of cases) assert.deepEqual(parseCondition(text), literal(value));
});

test("keywords are only keywords where a path would begin", () => {
  assert.deepEqual(parseCondition("output.in"), path("output", "in"));
  assert.deepEqual(parseCondition("output.null.true"), path("output", "null", "true"));
  assert.deepEqual(parseCondition("inner in input"), {
    kind: "in",
    left: path("inner"),
    right: path("input"),
  });
});

test("lists may follow in", () => {
  assert.deepEqual(parseCondition("a in ['x', -1, null, b.c[0]]"), {
    kind: "in",
    left: path("a"),
    right: { kind: "list", items: [literal("x"), literal(-1), literal(null), path("b", "c", 0)] },
  });
  assert.deepEqual(parseCondition("a in []"), {
    kind: "in",
    left: path("a"),
    right: { kind: "list", items: [] },
  });
});

test("what is no condition is refused at its column, with advice where there is some", () => {
  const cases: [string, number, RegExp | undefined][] = [
    ["", 1, undefined],
    ["   ", 4, undefined],
    ["a = b", 3, /===/],
    ["a => b", 3, /===/],
    ["a === = b", 7, /===/],
    ["a and b", 3, /&&/],
    ["a or b", 3, /\|\|/],
    ["a & b", 3, /&&/],
    ["a | b", 3, /\|\|/],
    ["a + 1 > 2", 3, /calculate/],
    ["steps.my-step.output", 9, /brackets/],
    ["f()", 2, /call/],
    ["a.b()", 4, /call/],
    ["a < b < c", 7, /both halves/],
    ["a in b in c", 8, /both halves/],
    ["1 < x <= 3", 7, /both halves/],
    ["(a", 3, undefined],
    ["a)", 2, undefined],
    ["a b", 3, undefined],
    ["[1] === a", 1, /in/],
    ["a in [[1]]", 7, undefined],
    ["a in [1,]", 9, undefined],
    ["a in [1", 8, undefined],
    ["a === 'x", 7, undefined],
    ["a === 'x\ny'", 7, undefined],
    ["a === `x`", 7, /quotes/],
    ["a === '\\x41'", 8, /backslash/],
    ["a === 01", 7, undefined],
    ["a === 1.", 7, undefined],
    ["a === .5", 7, undefined],
    ["a === 0x1f", 7, undefined],
    ["a === 80px", 7, undefined],
    ["a === -", 7, undefined],
    ["a === 9007199254740993", 7, /texts/],
    ["a === 1e400", 7, /texts/],
    ["a === undefined", 7, /absent/],
    ["a === /x/", 7, /calculate/],
    ["a.__proto__", 3, undefined],
    ["output.constructor.constructor", 8, undefined],
    ["__proto__ === 1", 1, undefined],
    ["a['prototype']", 3, undefined],
    ["a ? b : c", 3, undefined],
    ["a; b", 2, undefined],
    ["a\u00a0> 1", 2, undefined],
    ["${a}", 2, undefined],
    ["new Date", 5, undefined],
  ];

  for (const [text, column, advice] of cases) {
    assert.throws(
      () => parseCondition(text),
      (error) => {
        assert.ok(error instanceof ProductError, String(error));
        assert.deepEqual(
          [error.code, error.details["column"]],
          ["condition_invalid", column],
          text,
        );
        if (advice !== undefined) assert.match(error.hint ?? "", advice, text);
        return true;
      },
    );
  }
});

test("every refusal says what is wrong and, where there is some, what to do", () => {
  const calculating =
    'Conditions cannot calculate. A name with a dash goes into brackets: steps["my-step"].';
  const smaller = "Let the step before compute the answer and test that field.";
  const told: [string, string, string?][] = [
    ["", "The condition is empty (column 1)."],
    ["a ===", "The condition stops too early (column 6)."],
    [
      "a = b",
      'A condition cannot have "=" here (column 3).',
      "Use === to compare; conditions cannot assign.",
    ],
    ["a and b", 'A condition cannot have "and" here (column 3).', "Write &&."],
    ["a & b", 'A condition cannot have "&" here (column 3).', "Write &&."],
    ["a or b", 'A condition cannot have "or" here (column 3).', "Write ||."],
    ["a | b", 'A condition cannot have "|" here (column 3).', "Write ||."],
    ["a + 1", 'A condition cannot have "+" here (column 3).', calculating],
    ["a - 1", 'A condition cannot have "-" here (column 3).', calculating],
    ["a * 2", 'A condition cannot have "*" here (column 3).', calculating],
    ["a / 2", 'A condition cannot have "/" here (column 3).', calculating],
    ["a % 2", 'A condition cannot have "%" here (column 3).', calculating],
    ["f()", 'A condition cannot have "(" here (column 2).', "Conditions cannot call functions."],
    [
      "[1] === a",
      'A condition cannot have "[" here (column 1).',
      "A written-out list may only follow `in`.",
    ],
    [
      "a === `x`",
      'A condition cannot have "`" here (column 7).',
      "Texts stand in single or double quotes.",
    ],
    ["(a b", 'Here ")" is missing before "b" (column 4).'],
    ["(a ?", 'Here ")" is missing before "?" (column 4).'],
    ["a ? b", 'A condition cannot have "?" here (column 3).'],
    ["in", 'A condition cannot have "in" here (column 1).'],
    ["a\u00a0> 1", "A condition cannot have U+00A0 here (column 2)."],
    [
      "a < b < c",
      "A comparison cannot be followed by < (column 7).",
      "Write both halves, as in 0 < x && x < 10, or use parentheses.",
    ],
    ["a === -", "This is not a number (column 7).", "Numbers look like 80, -1.5 or 2e3."],
    [
      "a === 1e400",
      "This number is too large to be compared exactly (column 7).",
      "Keep long numbers as texts, in the data and here.",
    ],
    [
      "a === undefined",
      "Conditions have no undefined (column 7).",
      "A path alone is false when it is absent or null: write output.error or !output.error.",
    ],
    ["a === 'x", "The text that begins here has no closing ' (column 7)."],
    [
      "a === '\\x'",
      'A backslash cannot be followed by "x" (column 8).',
      'Write \\\\ for a backslash; \\n, \\t, \\" and \\u0041 work as in JSON.',
    ],
    ["a".repeat(2_001), "A condition has at most 2000 characters (column 2001).", smaller],
    ["(".repeat(21), "A condition has at most 20 levels (column 21).", smaller],
    [`a in [${"1,".repeat(199)}1]`, "A condition has at most 200 pieces (column 406).", smaller],
  ];

  for (const [text, message, hint] of told) {
    assert.throws(() => parseCondition(text), { message, hint }, text.slice(0, 30));
  }
});

test("a fault in a path or a text is the condition's, and which it was is in the details", () => {
  for (const [text, problem] of [
    ["a === 'x", "string_unclosed"],
    ["a === '\\x'", "string_escape_invalid"],
    ["a.__proto__", "path_reserved"],
  ]) {
    assert.throws(
      () => parseCondition(text ?? ""),
      (error) => error instanceof ProductError && error.details["problem"] === problem,
    );
  }
  assert.throws(
    () => parseCondition("a.__proto__"),
    (error) => error instanceof ProductError && error.details["name"] === "__proto__",
  );
});

test("the largest number that is exact is the largest that may be compared", () => {
  const most = Number.MAX_SAFE_INTEGER;

  assert.deepEqual(parseCondition(String(most)), literal(most));
  assert.deepEqual(parseCondition(String(-most)), literal(-most));
});

test("every escape of JSON, and the single quote, may stand in a text", () => {
  assert.deepEqual(
    parseCondition(String.raw`'\"\'\\\/\b\f\n\r\t\u0041\u00fF'`.replaceAll("\\\\", "\\")),
    literal("\"'\\/\b\f\n\r\tA\u00ff"),
  );
  for (const broken of ["'\\u12'", "'\\u12g4'", "'\\xu0041'", "'\\"]) {
    assert.throws(() => parseCondition(broken), { code: "condition_invalid" }, broken);
  }
});

test("a condition is printed with as few parentheses as it needs", () => {
  for (const text of [
    "!a === b && c || d",
    "a && (b || c)",
    "(a && b) === true",
    "!(a > 1)",
    "!!a",
    "(a in b) in [1, 'x']",
    "(a === b) === c",
    "a in b && c",
    "!true",
    "-1 < 'it\\'s'",
  ]) {
    assert.equal(printCondition(parseCondition(text)), text);
  }
});

test("columns count within the line the fault is on", () => {
  assert.throws(
    () => parseCondition("a &&\n  b = c"),
    (error) =>
      error instanceof ProductError &&
      error.details["line"] === 2 &&
      error.details["column"] === 5 &&
      error.details["excerpt"] === "  b = c\n    ^",
  );
});

test("length, pieces and depth are bounded before any work is done", () => {
  const { characters, nodes, depth } = CONDITION_LIMITS;
  const chain = (count: number) => Array.from({ length: count }, () => "a").join("&&");
  const deep = (count: number) => `${"(".repeat(count)}a${")".repeat(count)}`;

  assert.doesNotThrow(() => parseCondition("a".repeat(characters)));
  assert.doesNotThrow(() => parseCondition(chain(nodes - 1)));
  assert.doesNotThrow(() => parseCondition(deep(depth)));
  assert.doesNotThrow(() =>
    parseCondition(
      Array(depth + 1)
        .fill("!(a)")
        .join(" && "),
    ),
  );
  for (const text of [
    "a".repeat(characters + 1),
    "!".repeat(1_000_000),
    chain(nodes),
    deep(depth + 1),
    `${"!".repeat(depth + 1)}a`,
    `${"!(".repeat(500)}a`,
    `a in [${Array.from({ length: nodes }, () => "1").join(",")}]`,
  ]) {
    assert.throws(() => parseCondition(text), { code: "condition_too_large" }, text.slice(0, 30));
  }
});

test("the paths of a condition are listed once, in reading order", () => {
  const condition = parseCondition("a.b > 1 && !(c in [d[0], a.b]) || 'k' in e && a.b");

  assert.deepEqual(conditionPaths(condition).map(printPath), ["a.b", "c", "d[0]", "e"]);
});

const names = fc
  .stringMatching(/^[a-z_$][\w$]{0,6}$/)
  .filter((name) => !["true", "false", "null", "in", "undefined"].includes(name));
const parts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }).filter((name) => !isReservedName(name)),
  fc.nat(),
);
const pathNode = fc
  .tuple(names, fc.array(parts, { maxLength: 4 }))
  .map(([first, rest]): PathOperand => ({ kind: "path", path: [first, ...rest] }));
const literalNode = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((value) => (value === 0 ? 0 : value)),
    fc.boolean(),
    fc.constant(null),
  )
  .map(literal);
const simple = fc.oneof(pathNode, literalNode);
const plainRecord = <Shape>(shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }) =>
  fc.record<Shape>(shape, { noNullPrototype: true });
const { condition: conditions } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    simple,
    plainRecord({ kind: fc.constant("not"), operand: tie("condition") }),
    plainRecord({
      kind: fc.constantFrom("and", "or"),
      operands: fc.array(tie("condition"), { minLength: 2, maxLength: 3 }),
    }),
    plainRecord({
      kind: fc.constant("compare"),
      operator: fc.constantFrom("===", "!==", ">=", "<=", ">", "<"),
      left: tie("condition"),
      right: tie("condition"),
    }),
    plainRecord({
      kind: fc.constant("in"),
      left: tie("condition"),
      right: fc.oneof(
        tie("condition"),
        fc.array(simple, { maxLength: 3 }).map((items): List => ({ kind: "list", items })),
      ),
    }),
  ) as fc.Arbitrary<Condition>,
}));

test("reading a printed condition gives the condition again", () => {
  let compared = 0;

  fc.assert(
    fc.property(conditions, (condition) => {
      const text = printCondition(condition);
      try {
        assert.deepEqual(parseCondition(text), condition);
        compared += 1;
      } catch (error) {
        if (!(error instanceof ProductError && error.code === "condition_too_large")) throw error;
      }
    }),
    { numRuns: 3_000 },
  );

  assert.ok(compared > 1_500, `only ${compared} were small enough`);
});
