/**
 * The list of what ASVS 5.0.0 asks for at levels 1 and 2 is whole, every test and heading it names is there, and
 * docs/asvs.md is as the list is. `ASVS=write` writes the page.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { CHAPTERS } from "./asvs/all-chapters.ts";
import { faultsOf } from "./asvs/check-list.ts";
import { NUMBERS_BY_LEVEL, numbersOf } from "./asvs/numbers.ts";
import { pageOf, tallyOf, tallyText } from "./asvs/page.ts";
import type { Chapter, Requirement } from "./asvs/requirement.ts";

const root = path.join(import.meta.dirname, "..", "..");
const PAGE = path.join(root, "docs", "asvs.md");
const LEAST_PERCENT = 90;

function read(file: string): string | undefined {
  const place = path.join(root, file);
  return existsSync(place) ? readFileSync(place, "utf8") : undefined;
}

/** The list with one requirement put otherwise, or left out. */
function changed(
  number: string,
  change: (requirement: Requirement) => readonly Requirement[],
): readonly Chapter[] {
  return CHAPTERS.map((chapter) => ({
    ...chapter,
    requirements: chapter.requirements.flatMap((requirement) =>
      requirement.number === number ? change(requirement) : [requirement],
    ),
  }));
}

describe("ASVS 5.0.0", () => {
  test("has 70 requirements of level 1 and 183 of level 2, and each stands in the list once, with its reason", () => {
    assert.equal(new Set(numbersOf(NUMBERS_BY_LEVEL[1])).size, 70);
    assert.equal(new Set(numbersOf(NUMBERS_BY_LEVEL[2])).size, 183);
    assert.deepEqual(faultsOf(CHAPTERS, read), []);
  });

  test("is met at level 1 wherever it applies, and at level 2 in nine of ten", (t) => {
    const [first, second] = [tallyOf(CHAPTERS, 1), tallyOf(CHAPTERS, 2)];
    t.diagnostic(`level 1, ${tallyText(first)}`);
    t.diagnostic(`level 2, ${tallyText(second)}`);
    assert.deepEqual([first.all, second.all], [70, 183]);
    assert.equal(first.met, first.applicable);
    assert.ok(second.percent >= LEAST_PERCENT, tallyText(second));
  });

  test("a number that is dropped, doubled, made up or of another level is found", () => {
    const found = (number: string, change: Parameters<typeof changed>[1]) =>
      faultsOf(changed(number, change), read);

    assert.deepEqual(
      found("V7.2.4", () => []),
      ["V7.2.4 of level 1 is missing"],
    );
    assert.deepEqual(
      found("V7.2.4", (one) => [one, one]),
      ["V7.2.4 stands there twice"],
    );
    assert.deepEqual(
      found("V7.2.4", (one) => [one, { ...one, number: "V7.2.9" }]),
      ["V7.2.9 is no requirement of level 1"],
    );
    assert.deepEqual(
      found("V7.2.4", (one) => [{ ...one, level: 2 }]),
      ["V7.2.4 of level 1 is missing", "V7.2.4 is no requirement of level 2"],
    );
    assert.deepEqual(
      found("V7.2.4", (one) => [one, { ...one, number: "V8.9.9" }]),
      ["V8.9.9 stands in V7", "V8.9.9 is no requirement of level 1"],
    );
  });

  test("a test, a heading or a file that is not there is found, and so is a standing without its reason", () => {
    const head = { number: "V7.2.4", level: 1, asks: "a new login" } as const;
    const found = (standing: Requirement) =>
      faultsOf(
        changed("V7.2.4", () => [standing]),
        read,
      );
    const routes = "src/surfaces/http/login-routes.test.ts";

    assert.deepEqual(found({ ...head, met: [[routes, "signing in"]] }), [
      `V7.2.4: ${routes} has no "signing in"`,
    ]);
    assert.deepEqual(found({ ...head, met: [["docs/security.md", "Who may"]] }), [
      'V7.2.4: docs/security.md has no "Who may"',
    ]);
    assert.deepEqual(found({ ...head, met: [["docs/nothing.md", "Nothing"]] }), [
      "V7.2.4: there is no docs/nothing.md",
    ]);
    assert.deepEqual(found({ ...head, met: [] }), ["V7.2.4 names no evidence"]);
    assert.deepEqual(found({ ...head, missing: " " }), ["V7.2.4 gives no reason"]);
    assert.deepEqual(found({ ...head, notApplicable: "" }), ["V7.2.4 gives no reason"]);
    assert.deepEqual(found({ ...head, asks: "", missing: "it" }), ["V7.2.4 says nothing"]);
  });

  test("one that is missing is counted as such, and one that does not apply is not counted", () => {
    const before = tallyOf(CHAPTERS, 1);
    const head = { number: "V7.2.4", level: 1, asks: "a new login" } as const;
    const withMissing = tallyOf(
      changed("V7.2.4", () => [{ ...head, missing: "there is none" }]),
      1,
    );
    const without = tallyOf(
      changed("V7.2.4", () => [{ ...head, notApplicable: "nobody signs in" }]),
      1,
    );

    assert.deepEqual(
      [withMissing.met, withMissing.applicable],
      [before.met - 1, before.applicable],
    );
    assert.ok(withMissing.percent < 100);
    assert.deepEqual([without.met, without.applicable], [before.met - 1, before.applicable - 1]);
    assert.equal(without.percent, 100);
  });

  test("docs/asvs.md is as the list is", () => {
    const page = pageOf(CHAPTERS);
    if (process.env["ASVS"] === "write") writeFileSync(PAGE, page);
    assert.equal(read("docs/asvs.md"), page, "ASVS=write node --test tests/proof/asvs.test.ts");
  });
});
