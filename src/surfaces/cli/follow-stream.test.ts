import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event } from "../../kernel/store/events.ts";
import type { CliWorld } from "./cli-world.ts";
import { followStream } from "./follow-stream.ts";
import type { OperationClient } from "./operation-client.ts";

const follow = {
  stream: "runId",
  until: { "run.completed": "ok", "run.waiting": "waiting" },
} as const;

/** What was told, and the exit code, of a stream with a past and what comes after it. */
async function told(past: readonly string[], coming: readonly string[]) {
  let out = "";
  const eventOf = (type: string) =>
    ({
      type,
      at: 0,
      data: { job: null, run: "01a1eefc-b975-7000-90c4-cf4c6d2a39c1" },
    }) as unknown as Event;
  const client = {
    async *events(_: unknown, signal: AbortSignal, onCurrent?: () => void) {
      for (const type of past) yield eventOf(type);
      onCurrent?.();
      for (const type of coming) if (!signal.aborted) yield eventOf(type);
    },
  } as unknown as OperationClient;
  const world = {
    stdout: { write: (text: string) => (out += text) },
    signal: new AbortController().signal,
  } as unknown as CliWorld;
  const options = { isJson: false } as Parameters<typeof followStream>[2]["options"];
  const code = await followStream(world, client, { follow, options, output: { runId: "r" } });
  const lines = out.trimEnd().split("\n");
  return { code, types: lines.map((line) => line.split("  ")[1]), lines };
}

test("a run that goes on is told from there on, and an old rest ends nothing", async () => {
  const { code, types } = await told(
    ["run.started", "run.waiting", "wait.answered"],
    ["stage.begun", "run.completed"],
  );

  assert.deepEqual(types, ["wait.answered", "stage.begun", "run.completed"]);
  assert.equal(code, 0);
});

test("one that rests is told up to its rest, and that is the end", async () => {
  const { code, types } = await told(["run.waiting", "wait.answered", "run.waiting"], ["never"]);

  assert.deepEqual(types, ["wait.answered", "run.waiting"]);
  assert.equal(code, 6);
});

test("lines have short ids and nothing empty", async () => {
  const { lines } = await told([], ["run.completed"]);

  assert.match(lines[0] ?? "", / {2}run\.completed {2}run=01a1eefc-b975-7000$/);
});
