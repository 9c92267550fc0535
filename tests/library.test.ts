/** The built-in library itself: every file is of a known kind, belongs to a method, and is sound. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { describeError } from "../src/kernel/base/errors.ts";
import { renderTemplate } from "../src/kernel/base/template.ts";
import { type LibraryEntry, openLibrary } from "../src/kernel/library/library.ts";
import { methodOf } from "../src/kernel/library/library-kind.ts";
import { parseLibraryJson } from "../src/kernel/library/parse-library-json.ts";
import { parsePrompt } from "../src/kernel/library/parse-prompt.ts";
import { checkWorkflow } from "../src/methods/pipeline/workflow/check-workflow.ts";

const root = path.join(import.meta.dirname, "..");
const library = openLibrary({
  layers: [{ name: "built-in", folder: path.join(root, "library") }],
});
const content = library.list().filter(({ path: file }) => file !== "README.md");
const methods = readdirSync(path.join(root, "src", "methods"));

test("the built-in library holds something of what it is for", () => {
  assert.ok(library.list({ kind: "prompts", folder: "ask" }).length >= 1);
  assert.ok(library.list({ kind: "prices" }).length >= 1);
});

test("every file lies where its kind is known", () => {
  const lost = content.filter(({ kind }) => kind === undefined).map((entry) => entry.path);

  assert.deepEqual(lost, [], "Kinds and their places are in src/kernel/library/library-kind.ts.");
});

test("every folder is named after a method, or shared by all", () => {
  const strange = content.filter(({ path: file }) => {
    const method = methodOf(file);
    return method !== undefined && !methods.includes(method);
  });

  assert.deepEqual(
    strange.map((entry) => entry.path),
    [],
  );
});

test("every prompt parses and uses exactly the variables it declares", () => {
  assert.deepEqual(
    problemsIn(library.list({ kind: "prompts" }), (entry) => {
      const prompt = parsePrompt(library.read(entry.path));
      const values = Object.fromEntries(prompt.variables.map(({ name }) => [name, `<${name}>`]));

      const { text, missing, spans } = renderTemplate(prompt.template, values);

      // A place deeper than its variable is absent from these values, but never from its roots.
      assert.deepEqual(
        missing.filter(({ reason }) => reason.startsWith("there is no")),
        [],
      );
      assert.ok(text.isWellFormed() && spans.every((span) => span.end > span.start));
      if (missing.length === 0) assert.ok(!text.includes("{{"), `${entry.path} renders braces`);
    }),
    [],
  );
});

test("every JSON file is sound JSON without keys written twice", () => {
  const files = content.filter((entry) => entry.path.endsWith(".json"));

  assert.deepEqual(
    problemsIn(files, (entry) => parseLibraryJson(library.read(entry.path), z.json())),
    [],
  );
});

test("every workflow can run, without a warning, and says what it is for", () => {
  assert.deepEqual(
    problemsIn(library.list({ kind: "workflows" }), (entry) => {
      const { definition, problems } = checkWorkflow(library.read(entry.path).text);

      assert.deepEqual(problems, []);
      assert.ok(definition.name !== undefined && definition.description !== undefined);
    }),
    [],
  );
});

function problemsIn(
  entries: readonly LibraryEntry[],
  check: (entry: LibraryEntry) => void,
): string[] {
  return entries.flatMap((entry) => {
    try {
      check(entry);
      return [];
    } catch (error) {
      return [`${entry.path}: ${describeError(error).message}`];
    }
  });
}
