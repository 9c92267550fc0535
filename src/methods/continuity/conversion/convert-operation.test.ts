import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ProductError } from "../../../kernel/base/errors.ts";
import { getDecision } from "../../../kernel/store/decisions.ts";
import { insertRedaction } from "../../../kernel/store/redactions.ts";
import { getTask } from "../../../kernel/store/task-lists.ts";
import {
  type ContinuityWorld,
  MARA,
  OTTO,
  openContinuityWorld,
  VERA,
} from "../continuity-world.suite.ts";
import { idOf, NOW, TIDEPOOL } from "../packet/packet-world.suite.ts";

interface Converted {
  readonly id: string;
  readonly title: string;
  readonly isNew: boolean;
}

async function refusal(promise: Promise<unknown>): Promise<ProductError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("converting a highlight", () => {
  let world: ContinuityWorld;
  before(async () => {
    world = await openContinuityWorld();
  });
  after(() => world.remove());
  const convert = (number: number, to: string, more: object = {}) =>
    world.as<Converted>(MARA, "highlight.convert", {
      highlightId: idOf("h", number),
      to,
      ...more,
    });

  test("gives a task that a packet can start from, with the highlight as its source", async () => {
    const { id, title } = await convert(2, "task", { title: "Free notes of lost devices" });

    const task = await world.kernel.store.read(() => getTask(id, MARA));
    assert.equal(title, "Free notes of lost devices");
    assert.equal(task.projectId, TIDEPOOL);
    assert.deepEqual([task.source?.type, task.source?.id], ["highlight", idOf("h", 2)]);
    assert.equal(task.description, "when a device dies nobody can write any more");
    const packet = await world.as<{ promptText: string }>(MARA, "packet.compile", {
      originType: "task",
      originId: id,
      targetTool: "claude",
    });
    assert.match(packet.promptText, /^TASK: Free notes of lost devices$/m);
    assert.match(packet.promptText, /Source Highlight:\nwhen a device dies nobody can write/);
  });

  test("gives a decision that stands in the highlight's message", async () => {
    const { id, title } = await convert(1, "decision");

    const decision = await world.kernel.store.read(() => getDecision(id, MARA));
    assert.equal(title, "A lock outlives its owner");
    assert.deepEqual(
      [decision.messageId, decision.conversationId, decision.content],
      [idOf("m", 4), idOf("c", 1), ""],
    );
  });

  test("twice gives the same one, another title another", async () => {
    const first = await convert(1, "task");
    const second = await convert(1, "task");
    const other = await convert(1, "task", { title: "Tell what locks do" });

    assert.deepEqual([second.id, second.isNew], [first.id, false]);
    assert.notEqual(other.id, first.id);
  });

  test("what is redacted is refused, and who may not write here is told so", async () => {
    const input = { highlightId: idOf("h", 1), to: "task" };
    assert.equal((await refusal(world.as(VERA, "highlight.convert", input))).kind, "not_allowed");
    assert.equal((await refusal(world.as(OTTO, "highlight.convert", input))).kind, "not_found");
    await world.kernel.store.write(() =>
      insertRedaction(
        { id: "r", projectId: TIDEPOOL, conversationId: idOf("c", 1), reason: "private" },
        { actor: "mara", now: NOW },
      ),
    );

    assert.equal((await refusal(convert(1, "task"))).code, "highlight_redacted");
    await world.as(MARA, "redaction.lift", { redactionId: "r" });
  });

  test("the terminal says what was made and where to go from there", async () => {
    const text = await world.show(MARA, "highlight.convert", {
      highlightId: idOf("h", 2),
      to: "decision",
    });

    assert.match(
      text,
      /^✓ Made decision \S+ "when a device dies nobody can write any more" out of/,
    );
    assert.match(text, /Start from it: throughline packet compile decision /);
  });
});
