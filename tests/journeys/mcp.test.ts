/** Agents in editors: the official client goes through the whole loop, over both transports and in both eras. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  agentOverHttp,
  agentOverStdio,
  type ConnectedAgent,
  type Era,
} from "../scratch/mcp-client.ts";
import { goThroughTheLoop, leaveTrail, makeRepository } from "../scratch/mcp-loop.ts";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";

async function run(
  agent: Promise<ConnectedAgent>,
  act: (agent: ConnectedAgent) => Promise<void>,
): Promise<void> {
  const connected = await agent;
  try {
    await act(connected);
  } finally {
    await connected.close();
  }
}

const ERAS: readonly Era[] = ["current", "previous"];

describe("an agent over stdio where nobody serves the workspace", () => {
  let home: ScratchFolder;
  before(async () => {
    home = scratchFolder();
    await home.run(["init", "--sample"]);
    makeRepository(home.folder);
  });
  after(() => home.remove());

  for (const era of ERAS)
    test(`goes through the loop and leaves its trail in the ${era} era`, () =>
      run(agentOverStdio(home.folder, era), async (agent) => {
        await goThroughTheLoop(agent);
        await leaveTrail(agent, home.folder, `stdio-${era}.md`);
      }));

  test("starts a workflow that runs here, and then lets go of the workspace, so that it can be served", () =>
    run(agentOverStdio(home.folder, "current"), async ({ ask }) => {
      const { runId } = await ask<{ runId: string }>("workflow_run", {
        workflow: "library:translation",
        input: { text: "Good morning.", language: "German" },
      });
      const stateOf = async () =>
        (await ask<{ run: { state: string } }>("run_show", { runId })).run.state;
      const deadline = performance.now() + 60_000;
      let state = await stateOf();
      while (["queued", "running"].includes(state) && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        state = await stateOf();
      }
      assert.ok(["completed", "waiting", "held"].includes(state), state);
      let server: Server | undefined;
      while (server === undefined && performance.now() < deadline)
        server = await home.serve(["serve"]).catch(() => undefined);
      assert.ok(server, "the workspace was let go of");
      // The same agent goes on through the server.
      assert.equal(await stateOf(), state);
      await server.stop();
    }));
});

describe("an agent on the running server", () => {
  let home: ScratchFolder;
  let server: Server;
  before(async () => {
    home = scratchFolder();
    await home.run(["init", "--sample"]);
    makeRepository(home.folder);
    server = await home.serve(["serve"]);
  });
  after(() => home.remove());

  for (const era of ERAS)
    test(`goes through the loop over HTTP in the ${era} era`, () =>
      run(agentOverHttp(server, era), async (agent) => {
        await goThroughTheLoop(agent);
        await leaveTrail(agent, home.folder, `http-${era}.md`);
      }));

  test("and over stdio in the previous era, where the server does the work", () =>
    run(agentOverStdio(home.folder, "previous"), async (agent) => {
      await goThroughTheLoop(agent);
      await leaveTrail(agent, home.folder, "stdio-served.md");
    }));

  test("that asks for reading only has no tool that changes something, however many it has", () =>
    run(agentOverHttp(server, "current", "?profile=full&readonly=1"), async ({ client, call }) => {
      const { tools } = await client.listTools();

      assert.ok(tools.length > 20);
      assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
      await assert.rejects(call("task_update", { taskId: "x" }), /There is no tool/);
    }));

  test("sees and may do only what its token allows, over both ways", async () => {
    const made = await home.run(["token", "add", "reader", "--scopes", "read", "--json"]);
    assert.equal(made.code, 0, made.stderr);
    const token = (JSON.parse(made.stdout) as { data: { text: string } }).data.text;
    const ways = [
      () => agentOverHttp({ url: server.url, token }, "current"),
      () => agentOverStdio(home.folder, "current", { env: { THROUGHLINE_TOKEN: token } }),
    ];
    for (const way of ways)
      await run(way(), async ({ client, call }) => {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map(({ name }) => name).toSorted(), [
          "run_show",
          "task_next",
          "thinking_search",
        ]);
        await assert.rejects(call("decision_add", { title: "No", content: "No" }), /no tool/);
      });
  });

  test("without a token, with a wrong one, from a page, or under another name: nothing", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const post = (headers: Record<string, string>) =>
      fetch(`${server.url}/mcp`, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
      });
    const authorization = `Bearer ${server.token}`;

    assert.equal((await post({})).status, 401);
    assert.equal((await post({ authorization: "Bearer nonsense" })).status, 401);
    assert.equal((await post({ authorization, origin: "http://evil.example" })).status, 403);
    assert.equal((await post({ authorization, "content-type": "text/plain" })).status, 415);
  });

  test("failures say what to do: a code, the field, the hint; and nothing was written", () =>
    run(agentOverHttp(server, "current"), async ({ call, ask }) => {
      await assert.rejects(call("task_update", { taskId: "x", statuz: "done" }), (error: Error) => {
        assert.match(error.message, /^input_invalid: /);
        assert.match(error.message, /statuz/);
        return true;
      });
      await assert.rejects(ask("run_show", { runId: "nothing" }), /run_not_found: There is no run/);
    }));
});
