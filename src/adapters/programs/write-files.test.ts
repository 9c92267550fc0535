import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { writeFiles } from "./write-files.ts";

describe("files below a folder", () => {
  test("a path that leads out, holds what no path holds or is too long is refused, and none of the files is written", async (t) => {
    const outer = mkdtempSync(path.join(tmpdir(), "throughline-write-files-"));
    t.after(() => rmSync(outer, { recursive: true }));
    const root = path.join(outer, "a", "b");
    await writeFiles(outer, [{ path: "a/b/kept.txt", text: "kept" }]);

    for (const [bad, code] of [
      ["../out.txt", "path_outside"],
      ["odd/../../out.txt", "path_outside"],
      ["odd/\0a~", "path_outside"],
      ["odd//a", "path_outside"],
      [".git/config", "path_outside"],
      ["x".repeat(300), "path_unfit"],
      ["kept.txt/below", "path_not_own"],
    ] as const)
      await assert.rejects(writeFiles(root, [{ path: bad, text: "bad" }]), { code }, bad);
    await assert.rejects(
      writeFiles(root, [
        { path: "new.txt", text: "new" },
        { path: "../out.txt", text: "out" },
      ]),
      { code: "path_outside" },
    );

    assert.deepEqual(readdirSync(root), ["kept.txt"]);
    assert.deepEqual(readdirSync(outer), ["a"]);
    assert.equal(readFileSync(path.join(root, "kept.txt"), "utf8"), "kept");
  });
});
