import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Allow, parse as parsePartial } from "partial-json";
import { createLedger } from "./ledger.ts";
import { readLooseJson } from "./loose-json.ts";

const json = fc.jsonValue().filter((value) => value !== null && typeof value === "object");

test("for any document it reads what JSON.parse reads, and notes nothing", () => {
  fc.assert(
    fc.property(json, fc.constantFrom(0, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      fc.pre(!/"(?:__proto__|constructor|prototype)"/.test(text));
      const ledger = createLedger();
      const reading = readLooseJson(text, ledger);
      assert.equal(reading.state, "whole");
      assert.deepEqual(reading.value, JSON.parse(text));
      assert.equal(reading.end, text.length);
      assert.equal(ledger.entries().filter(({ loss }) => loss !== "lossy").length, 0);
    }),
    { numRuns: 500 },
  );
});

test("for any prefix of any document it is a cut with only complete leaves, as partial-json has it", () => {
  fc.assert(
    fc.property(json, fc.nat(), (value, at) => {
      const text = JSON.stringify(value);
      const prefix = text.slice(0, 1 + (at % (text.length - 1)));
      fc.pre(!/"(?:__proto__|constructor|prototype)/.test(text));
      const reading = readLooseJson(prefix, createLedger());
      assert.equal(reading.state, "cut");
      assert.deepEqual(reading.value, parsePartial(prefix, Allow.OBJ | Allow.ARR));
    }),
    { numRuns: 2_000 },
  );
});

test("at a cut it tells the open place and what had arrived there", () => {
  const cases: [string, readonly (string | number)[], string | undefined][] = [
    ['{"a":[1,{"b":"x y', ["a", 1, "b"], "x y"],
    ['{"a":[1,{"b":"x\\', ["a", 1, "b"], "x"],
    ['{"a":[1,{"b":12', ["a", 1, "b"], undefined],
    ['{"a":[1,{"b":', ["a", 1, "b"], undefined],
    ['{"a":[1,{"b', ["a", 1], undefined],
    ['{"a":[1,', ["a", 1], undefined],
    ['{"a":tr', ["a"], undefined],
  ];
  for (const [text, path, open] of cases) {
    const reading = readLooseJson(text, createLedger());

    assert.equal(reading.state, "cut", text);
    assert.deepEqual(reading.open, { path, ...(open === undefined ? {} : { text: open }) }, text);
  }
});

test("faults end the reading with their place, and are never guessed around", () => {
  const cases: [string, number][] = [
    ["{'a':1}", 1],
    ['{"a" 1}', 5],
    ['{"a":1 "b":2}', 7],
    ['{"a":01}', 6],
    ['{"a":"x\ny"}', 5],
    ['{"a":"\\x"}', 5],
    ['{"a":[1,2}', 9],
    ['{"a":undefined}', 5],
    ['{"a":1.}', 5],
  ];
  for (const [text, end] of cases) {
    const reading = readLooseJson(text, createLedger(), 100);

    assert.equal(reading.state, "broken", text);
    assert.equal(reading.end, 100 + end, text);
  }
});

test("a bad escape is not hidden by a raw tab behind it", () => {
  assert.equal(readLooseJson('{"a":"\\x\t"}', createLedger()).state, "broken");
  assert.deepEqual(readLooseJson('{"a":"x\ty"}', createLedger()).value, { a: "x\ty" });
});
