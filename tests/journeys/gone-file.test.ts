/** The file of a workspace is taken away: while nobody has it open, and from under a running server. */

import assert from "node:assert/strict";
import { existsSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { type ScratchFolder, scratchFolder } from "../scratch/program.ts";

describe("a workspace whose file was taken away", () => {
  let home: ScratchFolder;
  let file: string;
  before(async () => {
    home = scratchFolder();
    file = path.join(home.folder, ".throughline", "workspace.db");
    await home.run(["init"]);
    await home.run(["task", "add", "Kept before"]);
  });
  after(() => home.remove());

  test("is missed, not silently made anew, and a backup brings it back", async () => {
    await home.run(["backup"]);
    rmSync(file);
    for (const words of [["task", "list"], ["init"], ["serve"]]) {
      const { code, stderr } = await home.run(words);
      assert.notEqual(code, 0);
      assert.match(stderr, /is missing, and it was there: workspace\.db was made here on 20/);
      assert.match(stderr, /workspace_gone/);
      assert.ok(!existsSync(file), `${words.join(" ")} made a new one`);
    }

    const { stdout: backups } = await home.run(["backup", "list", "--json"]);
    assert.equal(
      backups,
      "",
      "a list of backups needs the workspace; `restore` has one of its own",
    );
    const { stderr, stdout } = await home.run(["restore"]);
    const name = /\d{4}-\d\d-\d\dT[\w-]+\.db/.exec(stdout + stderr)?.[0];
    assert.ok(name, stdout + stderr);
    await home.run(["restore", name, "--yes"]);
    assert.match((await home.run(["task", "list"])).stdout, /Kept before/);
  });

  test("takes nothing more from a server that has it open, tells its readers, and goes on once it is back", async () => {
    const server = await home.serve(["serve"]);
    const aside = path.join(home.folder, "aside.db");
    renameSync(file, aside);

    const refused = await home.run(["task", "add", "While it was away"]);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /store_gone/);
    assert.match((await home.run(["task", "list"])).stdout, /Kept before/);
    assert.ok(!existsSync(file));

    renameSync(aside, file);
    assert.equal((await home.run(["task", "add", "After it was back"])).code, 0);
    const { stdout } = await home.run(["task", "list"]);
    assert.match(stdout, /After it was back/);
    assert.doesNotMatch(stdout, /While it was away/);
    await server.stop();
  });
});
