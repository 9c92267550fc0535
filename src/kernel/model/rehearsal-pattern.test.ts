import assert from "node:assert/strict";
import { test } from "node:test";
import { hashText } from "../base/hash.ts";
import { createDice } from "./rehearsal-dice.ts";
import { textForPattern } from "./rehearsal-pattern.ts";

const anyLength = { min: 0, max: Infinity };

test("patterns of the usual kinds get a text that fits", () => {
  for (const pattern of [
    /^[a-z0-9]+(?:-[a-z0-9]+)*$/u,
    /^(?<year>\d{4})-(?:0[1-9]|1[0-2])$/u,
    /^\p{Lu}\p{Ll}+ \p{N}{2}$/u,
    /^[^\s"]{3,5}\.(?:ts|md)$/u,
    /^(?=.*\d)[a-z\d]{4}$/u,
    /^\u{1F9EA}\x41\t\.\/$/u,
    /foo|ba[rz]/u,
    /^v\d+(\.\d+){2}$/u,
    /^[\w.+-]+@[\w-]+\.[a-z]{2,}$/u,
    /^$/u,
  ]) {
    for (let seed = 0; seed < 10; seed += 1) {
      const text = textForPattern(pattern, createDice(hashText(String(seed))), anyLength);
      assert.ok(text !== undefined && pattern.test(text), `${pattern}: ${text}`);
    }
  }
});

test("length limits are met as well, and the impossible is admitted", () => {
  const dice = createDice(hashText("x"));

  const long = textForPattern(/^[a-z]+$/u, dice, { min: 20, max: 30 });

  assert.ok(long !== undefined && long.length >= 20 && long.length <= 30);
  assert.equal(textForPattern(/^a$/u, dice, { min: 2, max: 3 }), undefined);
  assert.equal(textForPattern(/^(?!x)x$/u, dice, anyLength), undefined);
});
