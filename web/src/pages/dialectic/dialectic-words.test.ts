import assert from "node:assert/strict";
import { test } from "node:test";
import { cellWords, letterOf, placeMark, placeWords, shortModel } from "./dialectic-words.ts";

const cell = { place: "s1", slot: 1, lineage: null, match: null, state: "complete" as const };

test("a cell says what became of it and by whose hand, but first what is wrong with it", () => {
  assert.equal(cellWords(cell), "done");
  assert.equal(cellWords({ ...cell, isEdited: true }), "edited");
  assert.equal(cellWords({ ...cell, isRevised: true }), "revised");
  assert.equal(cellWords({ ...cell, isEdited: true, state: "stale" }), "stale");
});

test("places are named as the prompts name them", () => {
  assert.equal(placeWords({ slot: 1, lineage: 2, match: 3 }), "Slot 1 on proposal B with review C");
  assert.equal(placeWords(cell), "Slot 1");
  assert.equal(placeMark({ lineage: 2, match: null }), "B");
  assert.equal(placeMark({ lineage: 2, match: 27 }), "B·AA");
  assert.equal(letterOf(26), "Z");
  assert.equal(shortModel("openai/gpt-5"), "gpt-5");
});
