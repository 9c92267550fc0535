/** Agents in editors: the official client goes through the whole loop, over both transports and in both eras. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { type Agent, agentOverHttp, agentOverStdio, type Era } from "../scratch/mcp-client.ts";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";

const SAMPLE = "Tidepool (sample)";

interface Found {
  readonly items: readonly { readonly kind: string; readonly id: string }[];
}
interface Next {
  readonly task?: { readonly id: string; readonly title: string; readonly version: number };
}
interface Compiled {
  readonly packetId: string;
  readonly promptText: string;
  readonly name: string;
}

/** Search → packet → answer brought home → next task → done. */
async function goThroughTheLoop({ client, ask, call }: Agent): Promise<void> {
  const found = await ask<Found>("thinking_search", { text: "lease" });
  assert.ok(found.items.length > 0, "the sample speaks of leases");

  const { task } = await ask<Next>("task_next", { project: SAMPLE });
  assert.ok(task);
  const packet = await ask<Compiled>("packet_compile", {
    originType: "task",
    originId: task.id,
    targetTool: "claude",
  });
  assert.ok(packet.promptText.includes(task.title));

  const harvest = await call("harvest_read", {
    packetId: packet.packetId,
    acceptAll: true,
    answer: answerTo(packet.name),
  });
  assert.match(harvest, /Measure the lease again/);

  const { id: taskId } = task;
  await call("task_update", { taskId, status: "in_progress", expectedVersion: task.version });
  const summary = "Read inside the transaction now.";
  await call("task_update", { taskId, status: "completed", summary });
  const { task: another } = await ask<Next>("task_next", { project: SAMPLE });
  assert.notEqual(another?.id, task.id);

  const { resources } = await client.listResources();
  const listed = resources.find(({ uri }) => uri === `throughline://packet/${packet.packetId}`);
  assert.ok(listed, "the packet is among the resources");
  const { contents } = await client.readResource({ uri: listed.uri });
  const [content] = contents;
  assert.ok(content && "text" in content && content.text === packet.promptText);

  const { messages } = await client.getPrompt({
    name: "stress_test_direction",
    arguments: { originId: SAMPLE },
  });
  const [message] = messages;
  assert.ok(message?.content.type === "text" && message.content.text.includes("Tidepool"));
}

interface Finished {
  readonly session: { readonly state: string };
}

/** Begin, change a file, say what the change does, finish: one commit that says what was achieved. */
async function leaveTrail({ ask, call }: Agent, home: string, file: string): Promise<void> {
  await call("session_start", {
    prompt: `Write ${file}.`,
    interpretation: "A file is to be written.",
  });
  writeFileSync(path.join(home, file), "The tide comes in.\n");
  await call("session_intent", { what: `Write ${file}` });
  const { session } = await ask<Finished>("session_finish", {
    summary: `There is ${file}`,
    subject: "Tides",
    newSubject: true,
    push: false,
  });

  assert.equal(session.state, "finished");
  const head = execFileSync("git", ["log", "-1", "--format=%s"], { cwd: home, encoding: "utf8" });
  assert.match(head, /^session: /);
}

/** The workspace's folder as a repository with one commit. */
function makeRepository(home: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: home, stdio: "ignore" });
  git("init", "--initial-branch", "main");
  git("config", "user.name", "Test");
  git("config", "user.email", "test@example.org");
  git("add", "--all");
  git("commit", "--allow-empty", "--message", "base");
}

function answerTo(name: string): string {
  return `Here is what I would do.

## Tasks
- Measure the lease again after the change

## Decisions
- Leases are read inside the transaction

${name}
`;
}

async function run(agent: Promise<Agent>, act: (agent: Agent) => Promise<void>): Promise<void> {
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

  test("goes through the loop and leaves its trail", () =>
    run(agentOverStdio(home.folder, "current"), async (agent) => {
      await goThroughTheLoop(agent);
      await leaveTrail(agent, home.folder, "stdio.md");
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
    run(agentOverStdio(home.folder, "previous"), goThroughTheLoop));

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
