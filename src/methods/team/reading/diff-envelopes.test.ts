import assert from "node:assert/strict";
import { test } from "node:test";
import { diffEnvelopes } from "./diff-envelopes.ts";

test("only what changed is told, each part by its name, however long the lists have grown", () => {
  const product = (id: string, name: string) => ({ id, name, description: "As it was." });
  const many = Array.from({ length: 300 }, (_, place) =>
    product(`p${place + 10}`, `Product ${place}`),
  );
  const older = {
    round: 1,
    tree: [product("p1", "Plan"), product("p2", "Map"), ...many],
    lastNote: null,
  };
  const newer = {
    round: 2,
    tree: [product("p9", "New"), ...many, product("p2", "Atlas")],
    lastNote: null,
  };

  assert.deepEqual(
    diffEnvelopes(older, newer).map(({ change, text }) => `${change} ${text}`),
    [
      "same round",
      "removed 1",
      "added 2",
      "same tree.p9.id",
      "added p9",
      "same tree.p9.name",
      "added New",
      "same tree.p9.description",
      "added As it was.",
      "same tree.p2.name",
      "removed Map",
      "added Atlas",
      "same tree.p1.id",
      "removed p1",
      "same tree.p1.name",
      "removed Plan",
      "same tree.p1.description",
      "removed As it was.",
    ],
  );
  assert.deepEqual(diffEnvelopes(older, older), []);
});
