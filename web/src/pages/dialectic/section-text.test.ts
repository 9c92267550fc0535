import assert from "node:assert/strict";
import { test } from "node:test";
import { isDataKind, textOfSection } from "./section-text.ts";

const document = {
  summary: "Two lines,\nas written.",
  risks: ["Late", "Dear"],
  swot: { strengths: ["Small"] },
};

test("text is edited as it is, points one a line, anything with fields as JSON", () => {
  assert.equal(textOfSection(document, "summary", "text"), "Two lines,\nas written.");
  assert.equal(textOfSection(document, "risks", "lines"), "- Late\n- Dear");
  assert.deepEqual(JSON.parse(textOfSection(document, "swot", "object")), document.swot);
  assert.deepEqual(
    [isDataKind("list"), isDataKind("number"), isDataKind("choice")],
    [true, true, false],
  );
});

test("what is missing is edited from nothing", () => {
  assert.equal(textOfSection(document, "absent", "text"), "");
  assert.equal(textOfSection("no object", "summary", "text"), "");
});
