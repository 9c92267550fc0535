import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { findWorkspace, makeFolder } from "./workspace-folder.ts";

describe("the folder of a workspace", () => {
  let home: string;
  before(() => {
    home = mkdtempSync(path.join(tmpdir(), "throughline-folder-"));
    makeFolder(home);
  });
  after(() => rmSync(home, { recursive: true }));

  test("is found from any folder below it", () => {
    const below = makeFolder(path.join(home, "projects", "below"));

    assert.equal(findWorkspace(home), path.join(home, ".throughline"));
    assert.equal(findWorkspace(path.join(home, "projects")), path.join(home, ".throughline"));
    assert.equal(findWorkspace(path.join(home, "projects", "below")), below);
  });

  test("is not the one above a folder that was spelt wrongly", () => {
    assert.throws(() => findWorkspace(path.join(home, "porjects")), { code: "folder_missing" });
  });
});
