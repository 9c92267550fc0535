/** Random and hostile texts through every reader of base: typed refusals only, and no traces left. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { printCondition } from "./condition.ts";
import { evaluateCondition } from "./condition-evaluate.ts";
import { parseCondition } from "./condition-parse.ts";
import { ProductError } from "./errors.ts";
import { parsePath } from "./json-path.ts";
import { parseJson } from "./safe-json.ts";
import { parseTemplate, renderTemplate } from "./template.ts";

const runs = Number(process.env["HOSTILE_RUNS"] ?? 20_000);

const scope: unknown = JSON.parse(
  '{"output":{"score":95,"status":"ok","items":[1,"2",null],"__proto__":{"bad":1},"constructor":{}},"a":{"b":{"c":true}}}',
);

const tokens = fc.constantFrom(
  ..."output output.score output.items a.b.c a['b'] items[0] .length __proto__ constructor prototype".split(
    " ",
  ),
  ..."=== !== == != >= <= > < = => && || ! & | ( ) [ ] { } , . : ; ? + - * / % ^ ~ ` @ # $".split(
    " ",
  ),
  ..."in true false null undefined this new function return eval require globalThis process".split(
    " ",
  ),
  ..."0 1 -1 80 1e9 1e999 0x10 NaN Infinity 'x' \"y\" ' \" \\ \\u0041 \\x41".split(" "),
  ..."{{ }} {{output}} {{a.b}} {{ ${ } #{ <% %> {% %}".split(" "),
  ' "__proto__":',
  '{"a":',
  "[[",
  " ",
  "\n",
  "\t",
  "\u0000",
  "\ud800",
  "\u202e",
  "é",
  "😀",
);
const hostile = fc.oneof(
  { weight: 5, arbitrary: fc.array(tokens, { maxLength: 14 }).map((parts) => parts.join("")) },
  { weight: 3, arbitrary: fc.array(tokens, { maxLength: 10 }).map((parts) => parts.join(" ")) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
);

const readers: Readonly<Record<string, (text: string) => void>> = {
  condition: (text) => {
    const condition = parseCondition(text);
    const { result } = evaluateCondition(condition, scope);
    assert.ok(["true", "false", "unknown"].includes(result));
    assert.deepEqual(parseCondition(printCondition(condition)), condition);
  },
  template: (text) => {
    const template = parseTemplate(text);
    const { text: rendered, spans } = renderTemplate(template, scope);
    for (const { start, end } of spans) {
      assert.doesNotMatch(rendered.slice(start, end), /function|native code|\[object/);
    }
  },
  path: (text) => void parsePath(text),
  json: (text) => void parseJson(text),
};

function readEverywhere(text: string): void {
  for (const [name, read] of Object.entries(readers)) {
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof ProductError)) throw new Error(`${name}: ${text}`, { cause: error });
    }
  }
}

test(`${runs} random texts give answers or typed errors, and prototypes stay as they were`, () => {
  const before = snapshotPrototypes();

  fc.assert(fc.property(hostile, readEverywhere), { numRuns: runs });

  assert.deepEqual(snapshotPrototypes(), before);
});

test("known attacks give answers or typed errors", () => {
  const before = snapshotPrototypes();
  const attacks = [
    "output.constructor.constructor('return process')()",
    "output['__pro' + 'to__'].x",
    "''.sub.call.call({}[`constructor`])",
    "a[a=1]",
    "(((((((((((((((((((((((((((((((((((((((((",
    "!".repeat(1_000_000),
    "a.".repeat(500_000),
    `'${"\\".repeat(1_000_000)}`,
    "{{".repeat(500_000),
    "{{constructor.constructor('alert(1)')()}}",
    '{{#with "s" as |string|}}{{/with}}',
    '{{range.constructor("return global.process")()}}',
    "{{7*7}}",
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
    `[${"[],".repeat(300_000)}[]]`,
    `{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":0`).join(",")},"k1":1}`,
  ];

  for (const attack of attacks) {
    const started = performance.now();
    readEverywhere(attack);
    // Milliseconds each on an idle machine.
    assert.ok(performance.now() - started < 5_000, attack.slice(0, 40));
  }

  assert.deepEqual(snapshotPrototypes(), before);
});

function snapshotPrototypes(): unknown {
  return [Object, Array, Function, String, Number, Boolean, RegExp, Map].map((type) =>
    Reflect.ownKeys(type.prototype).map(String),
  );
}
