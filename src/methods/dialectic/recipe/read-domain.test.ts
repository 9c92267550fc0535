/** The examples of docs/dialectic-formats.md are what the loader reads. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fixtureLibrary } from "../dialectic-fixture.suite.ts";
import { isIncluded } from "./document-file.ts";
import { listDomains, promptPath, readDomain } from "./read-domain.ts";

const formats = readFileSync(
  path.join(import.meta.dirname, "../../../../docs/dialectic-formats.md"),
  "utf8",
);

const [domain = "", recipe = "", document = ""] = [
  ...formats.matchAll(/^```json\n([\s\S]*?)^```$/gm),
].map(([, text = ""]) => text);

const documented = {
  "domains/software.json": domain.replace(/"stages": \[.*\]/, '"stages": ["antithesis"]'),
  "overlays/system.json": { values: { style_guide: { title: "Style guide", text: "Plain." } } },
  "recipes/software/antithesis.json": recipe,
  "documents/software/risk_register.json": document,
};

test("the documented files are read as they are documented", () => {
  const library = fixtureLibrary(documented);

  const content = readDomain(library, "software");

  assert.deepEqual(
    listDomains(library).map(({ key }) => key),
    ["software"],
  );
  assert.equal(content.recipes[0]?.value.steps[1]?.inputsRequired[2]?.multiple, false);
  const risks = content.documents.get("risk_register")?.value.fields[1];
  assert.ok(risks !== undefined && !isIncluded(risks) && risks.kind === "list");
  assert.equal(risks.identity, "id");
  assert.equal(promptPath("software", "x"), "dialectic/prompts/software/x.md");
});

test("an unknown key is refused with its line", () => {
  const library = fixtureLibrary({
    ...documented,
    "recipes/software/antithesis.json": recipe.replace('"name": "antithesis_v1"', '"nam": "x"'),
  });

  assert.throws(() => readDomain(library, "software"), {
    code: "library_json_invalid",
    message: /recipes\/software\/antithesis\.json:1: /,
  });
});
