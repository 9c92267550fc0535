import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { ProductError } from "../base/errors.ts";
import type { LibraryFile } from "./library.ts";
import { parseLibraryJson } from "./parse-library-json.ts";

const schema = z.strictObject({
  name: z.string(),
  steps: z.array(z.strictObject({ key: z.string(), count: z.int().default(1) })),
});

function file(text: string): LibraryFile {
  return { path: "team/recipes/r.json", text, layer: "project", overrides: [], hash: "h" };
}

test("a file that fits gives the schema's value, whatever editors are told", () => {
  assert.deepEqual(
    parseLibraryJson(file('{"$schema":"../x.json","name":"n","steps":[{"key":"a"}]}'), schema),
    { name: "n", steps: [{ key: "a", count: 1 }] },
  );
});

test("what does not fit is named with the line of the value", () => {
  const text =
    '{\n  "steps": [\n    { "key": "a" },\n    { "key": 5,\n      "count": 1.5 },\n    {}\n  ]\n}';

  assert.throws(
    () => parseLibraryJson(file(text), schema),
    (error) => {
      assert.ok(error instanceof ProductError && error.code === "library_json_invalid");
      const places = error.message
        .split("\n")
        .map((line) => line.split(": ").slice(0, 2).join(" "));
      assert.deepEqual(places, [
        "team/recipes/r.json:1 name",
        "team/recipes/r.json:4 steps.1.key",
        "team/recipes/r.json:5 steps.1.count",
        "team/recipes/r.json:6 steps.2.key",
      ]);
      return true;
    },
  );
});

test("broken and dangerous JSON is refused with its line", () => {
  assert.throws(() => parseLibraryJson(file('{\n  "name": "n",\n}'), schema), {
    code: "library_json_invalid",
    message: /^team\/recipes\/r\.json:3: JSON needs a key/,
  });
  assert.throws(() => parseLibraryJson(file('{"name":"n","name":"m"}'), schema), {
    message: /^team\/recipes\/r\.json:1: The key "name" stands twice/,
  });
});
