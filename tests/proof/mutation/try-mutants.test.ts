import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { makeMutants } from "./make-mutants.ts";
import { tryMutants } from "./try-mutants.ts";

const made = (source: string) =>
  makeMutants("sample.ts", source).map(({ was, becomes }) => `${was} → ${becomes}`);

describe("the mutants of a source", () => {
  test("are changes of what decides", () => {
    assert.deepEqual(made("export const f = (a: number, b: number) => a < b;"), [
      "a < b → true",
      "a < b → false",
      "a < b → (a <= b)",
      "a < b → (a >= b)",
    ]);
    assert.deepEqual(made("if (a?.b && !c) d.some(e); else x = [...y, 1];"), [
      "a?.b && !c → true",
      "a?.b && !c → false",
      "a?.b && !c → (a?.b || !c)",
      "?. → .",
      "!c → (c)",
      "some → every",
      "[...y, 1] → []",
      "[...y, 1] → [1]",
      "1 → 2",
    ]);
    assert.deepEqual(made("x = a ?? b ?? c;"), [
      "a ?? b ?? c → ((a ?? b) && c)",
      "a ?? b → (a && b)",
    ]);
    assert.deepEqual(made("function f() { g(); return `a${b}`; }"), [
      "{ g(); return `a${b}`; } → {}",
      "g(); → ;",
      "`a${b}` → undefined",
      "`a${b}` → ``",
    ]);
    assert.deepEqual(made("x = /^a+[^b]\\s$/i;"), [
      "/^a+[^b]\\s$/i → /a+[^b]\\s$/i",
      "/^a+[^b]\\s$/i → /^a[^b]\\s$/i",
      "/^a+[^b]\\s$/i → /^a+[b]\\s$/i",
      "/^a+[^b]\\s$/i → /^a+[^b]\\S$/i",
      "/^a+[^b]\\s$/i → /^a+[^b]\\s/i",
      "/^a+[^b]\\s$/i → /^a+[^b]\\s$/",
    ]);
  });

  test("leave types, comments and the names of modules and fields as they are", () => {
    const source = `import { a } from "./a.ts";
      /** A comment with true and 1 < 2. */
      export interface B { readonly kind: "b"; readonly n: 1 | 2 }
      export type C = "c" | "d";
      export const e = a.f as B["kind"];
      export * from "./g.ts";`;
    assert.deepEqual(made(source), []);
  });
});

test("what is tried is noticed by the test that fails, and what no test looks at is told", async () => {
  const root = path.join(import.meta.dirname, "..", "..", "..");
  const file = "tests/proof/mutation/sample.ts";
  const mutants = makeMutants(file, readFileSync(path.join(root, file), "utf8"));
  const verdicts = await tryMutants(mutants, () => ({
    tests: ["tests/proof/mutation/sample.test.ts"],
    without: [],
    amount: {},
  }));
  const by = (name: string | undefined) =>
    verdicts
      .filter(({ noticedBy }) => noticedBy === name)
      .map(({ mutant: { was, becomes } }) => `${was} → ${becomes}`);

  assert.deepEqual(by(undefined), [
    "amount > 100 → true",
    "amount > 100 → (amount >= 100)",
    "100 → 101",
  ]);
  assert.deepEqual(by("a thousand is large"), [
    "amount > 100 → false",
    "amount > 100 → (amount <= 100)",
  ]);
  const ended = verdicts.filter(({ isEnded }) => isEnded).map(({ mutant }) => mutant.becomes);
  assert.deepEqual(ended, ["(next > most)", "next -= 1"]);
  assert.equal(by("adds from one, as far as it is told").length, verdicts.length - 7);
});

test("a file whose tests fail as it is, or do not come to it, is not tried", async () => {
  const mutants = makeMutants("src/kernel/base/ids.ts", "export const one = 1;");
  const trial = (tests: readonly string[]) =>
    tryMutants(mutants, () => ({ tests, without: [], amount: {} }));

  await assert.rejects(trial(["tests/proof/mutation/sample.test.ts"]), /is not tried by/);
  await assert.rejects(
    trial(["tests/proof/mutation/no-such.test.ts"]),
    /as it is: the file is read/,
  );
});
