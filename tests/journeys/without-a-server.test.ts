/** Work that is begun where no server runs: nobody is told that it goes on by itself, and whoever watches it carries it on. */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { scratchFolder } from "../scratch/program.ts";

const home = scratchFolder();
after(() => home.remove());

describe("a run begun where no server runs", () => {
  let runId = "";

  test("is said to stand still, on standard error, and not to scripts", async () => {
    await home.run(["init"]);
    const run = ["workflow", "run", "library:research", "--set", "question=Why?"];
    const begun = await home.run(run);
    const scripted = await home.run([...run, "--json"]);

    assert.equal(begun.code, 0, begun.stderr);
    assert.match(begun.stderr, /^1 run is not done, and no server is here to go on with it/m);
    assert.match(begun.stderr, /`throughline serve`/);
    assert.equal(scripted.stderr, "");
    runId = (JSON.parse(scripted.stdout) as { data: { runId: string } }).data.runId;
  });

  test("goes on while somebody follows it", async () => {
    const followed = await home.run(["step", "list", runId, "--follow"]);

    assert.equal(followed.code, 0, followed.stderr);
    assert.match(followed.stdout, /^\S+ \S+ {2}run\.completed$/m);
    assert.doesNotMatch(followed.stderr, /no server/);
  });

  test("is not spoken of by commands that leave nothing undone", async () => {
    const asked = await home.run(["ask", "Why?"]);
    const listed = await home.run(["run", "list"]);

    assert.equal(asked.code, 0, asked.stderr);
    assert.doesNotMatch(asked.stderr, /no server/);
    assert.equal(listed.stderr, "");
  });
});

describe("what only a server does by itself, asked for where none runs", () => {
  const needsServer = /No server runs here; start one: throughline serve\n$/;

  test("is said of an agent's task and of a schedule, not to scripts, and not of what people do", async () => {
    await home.run(["agent", "add", "Code reviewer"]);
    const add = ["task", "add", "Look at it", "--assignee", "Code reviewer"];
    const added = await home.run(add);
    assert.match(added.stderr, /^Code reviewer takes up its tasks while a server is there\./);
    assert.match(added.stderr, needsServer);
    assert.equal((await home.run([...add, "--json"])).stderr, "");
    assert.equal((await home.run(["task", "add", "Mine", "--assignee", "me"])).stderr, "");

    const schedule = ["schedule", "add", "library:research", "@daily", "--set", "question=Why?"];
    const planned = await home.run([...schedule, "--name", "Daily"]);
    assert.match(planned.stderr, /^Schedules start their runs while a server is there\./);
    assert.match(planned.stderr, needsServer);
    assert.equal((await home.run(["schedule", "pause", "Daily"])).stderr, "");
    assert.match((await home.run(["schedule", "resume", "Daily"])).stderr, needsServer);
  });
});
