import assert from "node:assert/strict";
import { test } from "node:test";
import { mergePage } from "./merge-page.ts";

const list = (ids: string) => ids.split("").map((id) => ({ id }));
const merged = (old: string, fresh: string, later = "") =>
  mergePage(list(old), list(fresh), new Set(later))
    .map(({ id }) => id)
    .join("");

test("a page that has not moved is replaced as it is", () => {
  assert.equal(merged("abcd", "abcd", "ef"), "abcd");
});

test("what came in at the top pushes nothing out of the list", () => {
  assert.equal(merged("abcd", "xabc", "ef"), "xabcd");
  assert.equal(merged("abcd", "xyab", "ef"), "xyabcd");
  assert.equal(merged("abcd", "wxyz", "ef"), "wxyzabcd");
});

test("what is gone is gone, and what it pulls in from the next page is not shown twice", () => {
  assert.equal(merged("abcd", "abde", "ef"), "abd");
  assert.equal(merged("abcd", "bcde", "ef"), "bcd");
  assert.equal(merged("abcd", "abce", "ef"), "abc");
});

test("coming and going at once", () => {
  assert.equal(merged("abcd", "xacd", "ef"), "xacd");
  assert.equal(merged("abcd", "xabd", "ef"), "xabd");
});
