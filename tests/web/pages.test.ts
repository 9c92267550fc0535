/** Pages list themselves, so nothing but this sees two of them claim the same. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const folder = path.join(import.meta.dirname, "..", "..", "web", "src", "pages");
const sources = globSync("*/page.ts", { cwd: folder }).map((file) =>
  readFileSync(path.join(folder, file), "utf8"),
);

for (const field of ["key", "path", "title"]) {
  test(`no two pages have the same ${field}`, () => {
    const values = sources.map((source) => new RegExp(`\\b${field}: "([^"]+)"`).exec(source)?.[1]);
    assert.ok(values.length > 8 && !values.includes(undefined));
    assert.deepEqual(values, [...new Set(values)]);
  });
}
