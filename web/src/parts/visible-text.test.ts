import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasHidden, isOwnAddress, safeHref, visibleParts } from "./visible-text.ts";

test("characters that turn or hide text become marks, the rest stays", () => {
  const parts = visibleParts("pay \u202eelpoep\u202c 5\u200b0 \u{e0041}!");

  assert.deepEqual(
    parts.filter(({ mark }) => mark !== undefined).map(({ mark }) => mark),
    ["U+202E", "U+202C", "U+200B", "U+E0041"],
  );
  assert.ok(hasHidden("a\u200db"));
  assert.ok(!hasHidden("plain – ä 漢 🙂 👩\u200d💻\n\ttext"));
});

test("no character is lost or added", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.equal(
        visibleParts(text)
          .map((part) => part.text)
          .join(""),
        text,
      );
    }),
  );
});

test("links lead to pages and mail, nowhere else", () => {
  for (const href of ["https://example.org", "http://x", "mailto:a@b.c", "/runs/1", "#x"])
    assert.equal(safeHref(href), href);
  for (const href of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://x/1",
  ])
    assert.equal(safeHref(href), undefined, href);
});

test("what a browser would read as elsewhere is not ours", () => {
  for (const href of ["/runs/1", "/a//b", "/?open=task:1"]) assert.ok(isOwnAddress(href), href);
  for (const href of ["//x.example", "/\\x.example", "/\t/x.example", "https://x.example", "runs"])
    assert.ok(!isOwnAddress(href), href);
});
