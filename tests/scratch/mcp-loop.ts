/** What an agent in an editor does with a workspace, whatever client it has: the whole loop, and its trail. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";

const SAMPLE = "Tidepool (sample)";

/** A client of the protocol, as far as the loop needs one. */
export interface Agent {
  /** The text of a tool's answer; throws what the tool calls an error. */
  call(name: string, input?: Readonly<Record<string, unknown>>): Promise<string>;
  /** The same, read as JSON. */
  ask<Output>(name: string, input?: Readonly<Record<string, unknown>>): Promise<Output>;
  /** Their addresses. */
  resources(): Promise<readonly string[]>;
  read(uri: string): Promise<string>;
  /** The text of a prompt's first message. */
  prompt(name: string, input: Readonly<Record<string, string>>): Promise<string>;
}

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
export async function goThroughTheLoop(agent: Agent): Promise<void> {
  const { ask, call } = agent;
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

  const uri = `throughline://packet/${packet.packetId}`;
  assert.ok((await agent.resources()).includes(uri), "the packet is among the resources");
  assert.equal(await agent.read(uri), packet.promptText);
  assert.match(await agent.prompt("stress_test_direction", { originId: SAMPLE }), /Tidepool/);
}

interface Finished {
  readonly session: { readonly state: string };
}

/** Begin, change a file, say what the change does, finish: one commit that says what was achieved. */
export async function leaveTrail({ ask, call }: Agent, home: string, file: string): Promise<void> {
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
export function makeRepository(home: string): void {
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
