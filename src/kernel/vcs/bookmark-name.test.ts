import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isBookmarkName, requireBookmarkName } from "./bookmark-name.ts";

describe("names of bookmarks", () => {
  test("follow git's rules", () => {
    for (const name of ["dev", "session/0190", "-x", "a.b", "тест"]) {
      assert.ok(isBookmarkName(name), name);
      assert.equal(requireBookmarkName(name), name);
    }
    for (const name of [
      "",
      "@",
      "a b",
      "a..b",
      "a~1",
      "a:b",
      "/a",
      "a/",
      "a//b",
      ".a",
      "a/.b",
      "a.lock",
      "a\n",
      "a@{b",
      "a.",
    ]) {
      assert.ok(!isBookmarkName(name), name);
      assert.throws(() => requireBookmarkName(name), {
        code: "bookmark_name_invalid",
        message: `${JSON.stringify(name)} cannot be the name of a branch.`,
        hint: /^Leave out spaces/,
      });
    }
    assert.ok(isBookmarkName("x".repeat(200)));
    assert.ok(!isBookmarkName("x".repeat(201)));
  });
});
