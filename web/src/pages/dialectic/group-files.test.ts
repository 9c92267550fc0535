import assert from "node:assert/strict";
import { test } from "node:test";
import { groupFiles } from "./group-files.ts";

const paths = (...list: string[]) => list.map((path) => ({ path }));

test("files stand under their folders, and what all folders share is said once", () => {
  const { above, groups } = groupFiles(
    paths("p/s/i1/thesis/seed.md", "p/s/i1/thesis/documents/a.md", "p/s/i1/review/b.md"),
  );
  assert.equal(above, "p/s/i1/");
  assert.deepEqual(
    groups.map(({ folder, files }) => [folder, files.map(({ name }) => name)]),
    [
      ["thesis", ["seed.md"]],
      ["thesis/documents", ["a.md"]],
      ["review", ["b.md"]],
    ],
  );
});

test("a single folder keeps its name, and no files are no folders", () => {
  assert.deepEqual(groupFiles(paths("one/two/x.md")).groups[0]?.folder, "two");
  assert.deepEqual(groupFiles([]), { above: "", groups: [] });
});
