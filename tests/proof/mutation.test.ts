/**
 * Whether the tests of what decides notice when it decides otherwise: small changes of the source, one at a time, and
 * the tests beside it against each. A change that no test notices is a mutant that survived.
 *
 * `MUTANTS_EVERY=7` tries every seventh, `MUTATION_UNITS=template,path` those units alone, `MUTANTS_SHOW=1` names the
 * survivors.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { EQUIVALENT, type Equivalent } from "./mutation/equivalent.ts";
import { type Mutant, makeMutants } from "./mutation/make-mutants.ts";
import { tryMutants, type Verdict } from "./mutation/try-mutants.ts";
import { UNITS, type Unit } from "./mutation/units.ts";

const { MUTANTS_EVERY = "12", MUTATION_UNITS = "template,json", MUTANTS_SHOW } = process.env;
const LEAST_PERCENT = 80;
const root = path.join(import.meta.dirname, "..", "..");

const chosen = UNITS.filter(
  ({ name }) => MUTATION_UNITS === "all" || MUTATION_UNITS.split(",").includes(name),
);
const total = { tried: 0, noticed: 0 };

for (const unit of chosen) {
  test(`tests notice when what they are beside changes: ${unit.name}`, async (t) => {
    const all = Object.keys(unit.files).flatMap((file) =>
      makeMutants(file, readFileSync(path.join(root, file), "utf8")),
    );
    const stale = EQUIVALENT.filter(
      (each) => each.file in unit.files && !all.some((mutant) => isSame(mutant, each)),
    );
    assert.deepEqual(stale, [], "listed as equivalent, but no such mutant is made");

    const sample = all.filter((_, index) => index % Number(MUTANTS_EVERY) === 0);
    const verdicts = await tryMutants(sample, (file) => testsOf(unit, file));
    const unlike = verdicts.filter((verdict) => isEquivalent(verdict) && verdict.noticedBy);
    assert.deepEqual(unlike.map(describe), [], "listed as equivalent, but a test notices it");

    const counted = verdicts.filter((verdict) => !isEquivalent(verdict));
    const survivors = counted.filter(({ noticedBy }) => noticedBy === undefined);
    const ended = counted.filter(({ isEnded }) => isEnded);
    const noticed = counted.length - survivors.length;
    const percent = (100 * noticed) / counted.length;
    total.tried += counted.length;
    total.noticed += noticed;
    t.diagnostic(
      `${unit.name}: ${percent.toFixed(1)} % of ${counted.length} mutants noticed, ${ended.length} of them endless`,
    );
    if (MUTANTS_SHOW !== undefined) for (const each of survivors) t.diagnostic(describe(each));
    assert.ok(
      percent >= LEAST_PERCENT,
      `${percent.toFixed(1)} %; nobody noticed:\n${survivors.map(describe).join("\n")}`,
    );
  });
}

test("tests notice when what they are beside changes, all in all", (t) => {
  const percent = (100 * total.noticed) / total.tried;
  t.diagnostic(`all: ${percent.toFixed(1)} % of ${total.tried} mutants noticed`);
  assert.ok(percent >= LEAST_PERCENT);
});

test("what is listed as equivalent is in a unit, and says why", () => {
  const files = UNITS.flatMap((unit) => Object.keys(unit.files));
  for (const { file, why } of EQUIVALENT) {
    assert.ok(files.includes(file), file);
    assert.ok(why.length > 0);
  }
});

function testsOf({ files, without = [], amount = {} }: Unit, file: string) {
  return { tests: files[file] ?? [], without, amount };
}

function isEquivalent({ mutant }: Verdict): boolean {
  return EQUIVALENT.some((each) => isSame(mutant, each));
}

function isSame(mutant: Mutant, { file, line, was, becomes }: Equivalent): boolean {
  return (
    mutant.file === file &&
    mutant.lineText === line &&
    mutant.was === was &&
    mutant.becomes === becomes
  );
}

function describe({ mutant: { file, line, was, becomes }, noticedBy }: Verdict): string {
  return `${file}:${line} ${was} → ${becomes}${noticedBy === undefined ? "" : ` (${noticedBy})`}`;
}
