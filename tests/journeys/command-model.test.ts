/** A command as a model, from adding it to the answer it gives. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { scratchFolder } from "../scratch/program.ts";

test("a command is added, listed, tested and removed like any other model", async (t) => {
  const home = scratchFolder();
  t.after(() => home.remove());
  await home.run(["init"]);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await home.run([...args, "--json"]);
    assert.ok(stdout !== "", stderr);
    return { code, data: (JSON.parse(stdout) as { data: Record<string, unknown> }).data };
  };

  await run("model", "add", "echo", "--kind", "command", "--command", "cat", "--args=-u");
  await run("model", "add", "gone", "--kind", "command", "--command", "no-such-program");
  const { data: listed } = await run("model", "list");
  const works = await run("model", "test", "echo/default");
  const fails = await run("model", "test", "gone/default");
  const { data: removed } = await run("model", "remove", "echo");

  const models = listed["items"] as { name: string; isUsable: boolean; note: string }[];
  assert.deepEqual(
    models
      .filter(({ name }) => /^(?:echo|gone)/.test(name))
      .map(({ isUsable, note }) => [isUsable, note]),
    [
      [true, "runs cat -u"],
      [false, "needs the program no-such-program"],
    ],
  );
  assert.deepEqual([works.code, works.data["isOk"], works.data["finish"]], [0, true, "stop"]);
  assert.match(String(works.data["reply"]), /This is a test of the connection/);
  assert.deepEqual([fails.code, fails.data["isOk"]], [8, false]);
  const { message } = fails.data["problem"] as { message: string };
  assert.match(message, /no-such-program|gone/);
  assert.equal(removed["wasThere"], true);
});
