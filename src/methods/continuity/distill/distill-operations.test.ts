import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { insertConversation } from "../../../kernel/store/conversations.ts";
import { runSql } from "../../../kernel/store/database-work.ts";
import { appendMessages } from "../../../kernel/store/messages.ts";
import { insertRedaction } from "../../../kernel/store/redactions.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import {
  type ContinuityWorld,
  MARA,
  OTTO,
  openContinuityWorld,
  VERA,
} from "../continuity-world.suite.ts";
import { dumpThinking } from "../harvest/harvest-rows.suite.ts";
import type { reviewedHarvest } from "../harvest/harvest-shape.ts";
import { idOf, NOW, TIDEPOOL } from "../packet/packet-world.suite.ts";
import type { distilled } from "./distill-operations.ts";

type Distilled = z.output<typeof distilled>;
type Reviewed = z.output<typeof reviewedHarvest>;

const act = { actor: "mara", now: NOW };

async function refusal(promise: Promise<unknown>): Promise<ProductError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ProductError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

/** The furnished conversation: m1 is its first message, and so on; what tools and settings said is not counted. */
const SAYS = {
  replies: [
    {
      step: "distill",
      reply: {
        decisions: [
          {
            message: "m6",
            quote: "Give every write the number of its lease, and refuse older numbers.",
            title: "Every write carries the number of its lease",
            content: "Older numbers are refused.",
          },
          { message: "m4", quote: "We shall all use blockchains", title: "Blockchains" },
        ],
        tasks: [
          {
            message: "m1",
            quote: "Keep it beside the note as a stray and offer it to its author.",
            title: "Offer strays to their authors",
            isOpenLoop: true,
          },
        ],
        highlights: [
          { message: "m4", quote: "A lock outlives its owner: when a device dies", label: "locks" },
          { message: "m9", quote: "Never compare wall clocks of two devices" },
        ],
      },
    },
  ],
};

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(`distilling on ${dialect}`, () => {
    let world: ContinuityWorld;
    before(async () => {
      world = await openContinuityWorld({ dialect, says: SAYS });
    });
    after(() => world.remove());
    const distill = (conversationId: string, more: object = {}) =>
      world.as<Distilled>(MARA, "distill.start", { conversationId, ...more });

    test("proposes what is quoted, with its message and place, and nothing that is not", async () => {
      const beforehand = await dumpThinking(world.kernel.store);

      const found = await distill(idOf("c", 1));

      assert.equal(found.state, "completed");
      assert.deepEqual(
        found.candidates.map(({ type, title, match, quote, isOpenLoop }) => [
          type,
          title,
          match.kind,
          quote.messageId,
          isOpenLoop,
        ]),
        [
          ["decision", "Every write carries the number of its lease", "new", idOf("m", 6), false],
          ["task", "Offer strays to their authors", "new", idOf("m", 9), true],
          ["highlight", "locks", "update", idOf("m", 4), false],
          ["highlight", undefined, "new", idOf("m", 11), false],
        ],
      );
      assert.equal(found.dropped, 1);
      assert.deepEqual(found.harvest?.notes, [
        "1 left out: what they quote does not stand in the messages.",
        "2 named another message than the one they quote; the quote decided.",
      ]);
      assert.equal(found.candidates[0]?.quote.start, "A lease. ".length);
      assert.deepEqual(await dumpThinking(world.kernel.store), beforehand);
    });

    test("what is accepted stands in its message, and undo takes it back", async () => {
      const beforehand = await dumpThinking(world.kernel.store);
      const { harvestId } = await distill(idOf("c", 1));

      const { accepted } = await world.as<Reviewed>(MARA, "harvest.accept-all", { harvestId });

      const rows = await dumpThinking(world.kernel.store);
      const [decision, task, , highlight] = accepted.map(({ id, type }) =>
        rows[type]?.find((row) => row["id"] === id),
      );
      assert.deepEqual(
        [decision?.["message_id"], decision?.["conversation_id"], decision?.["source_type"]],
        [idOf("m", 6), idOf("c", 1), "message"],
      );
      assert.deepEqual([task?.["source_id"], task?.["project_id"]], [idOf("m", 9), TIDEPOOL]);
      assert.deepEqual(
        [highlight?.["span_start"], highlight?.["span_end"], highlight?.["content"]],
        [0, 40, "Never compare wall clocks of two devices"],
      );
      await world.as(MARA, "harvest.undo", { harvestId });
      assert.deepEqual(await dumpThinking(world.kernel.store), beforehand);
    });

    test("a long conversation is read in parts, and what two of them propose is kept once", async (t) => {
      const highlight = {
        message: "m1",
        quote: "A lock outlives its owner: when a device dies",
        label: "locks",
      };
      const reply = { decisions: [], tasks: [], highlights: [highlight] };
      const other = await openContinuityWorld({
        dialect,
        says: { replies: [{ step: "distill", reply }] },
      });
      t.after(() => other.remove());
      const long = `long-${dialect}`;
      await other.kernel.store.write(function* () {
        yield* insertConversation(
          { id: long, title: "Long", source: "chatgpt", startedAt: NOW, projectIds: [TIDEPOOL] },
          act,
        );
        const filler = "The tide comes in and goes out again. ".repeat(40);
        yield* appendMessages(
          long,
          Array.from({ length: 8 }, (_, n) => ({
            id: `${long}-${n}`,
            role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
            content: `${filler} A lock outlives its owner: when a device dies nobody writes.`,
            position: n,
          })),
          act,
        );
      });

      const parts = await other.as<Distilled>(MARA, "distill.start", {
        conversationId: long,
        windowTokens: 1000,
      });

      assert.ok(parts.windows >= 4, `${parts.windows}`);
      assert.deepEqual(
        parts.candidates.map(({ type, title }) => [type, title]),
        [["highlight", "locks"]],
      );
      assert.match(parts.harvest?.notes.join(" ") ?? "", /proposed more than once; kept once/);
    });

    test("what is redacted is neither shown to the model nor proposed", async () => {
      const passage = "Give every write the number of its lease";
      await world.kernel.store.write(function* () {
        const base = { projectId: TIDEPOOL, conversationId: idOf("c", 1), reason: "private" };
        yield* insertRedaction({ id: `message-${dialect}`, ...base, messageId: idOf("m", 9) }, act);
        yield* insertRedaction(
          {
            id: `span-${dialect}`,
            ...base,
            messageId: idOf("m", 6),
            span: { start: 9, end: 9 + passage.length },
          },
          act,
        );
      });

      const found = await distill(idOf("c", 1));

      assert.deepEqual(
        found.candidates.map(({ type }) => type),
        ["highlight", "highlight"],
      );
      const sent = await world.kernel.store.read(() =>
        runSql<{ messages: string }>(sqlText("select messages from exchange where run_id = ?"), [
          found.runId,
        ]),
      );
      const words = sent.map(({ messages }) => messages).join("");
      assert.ok(words.includes("[redacted]"));
      assert.ok(!words.includes(passage) && !words.includes("beside the note as a stray"));
      await world.as(MARA, "redaction.lift", { redactionId: `span-${dialect}` });
      await world.as(MARA, "redaction.lift", { redactionId: `message-${dialect}` });
    });

    test("an empty conversation, a redacted one and one that is not seen are refused", async () => {
      const redaction = `talk-${dialect}`;
      await world.kernel.store.write(() =>
        insertRedaction(
          { id: redaction, projectId: TIDEPOOL, conversationId: idOf("c", 1), reason: "x" },
          act,
        ),
      );

      assert.equal((await refusal(distill(idOf("c", 1)))).code, "conversation_redacted");
      assert.equal((await refusal(distill(idOf("c", 2)))).code, "distill_nothing");
      const input = { conversationId: idOf("c", 1) };
      assert.equal((await refusal(world.as(OTTO, "distill.start", input))).kind, "not_found");
      assert.equal((await refusal(world.as(VERA, "distill.start", input))).kind, "not_allowed");
      await world.as(MARA, "redaction.lift", { redactionId: redaction });
    });
  });
}

describe("distilling with the rehearsal model as it is", () => {
  test("gives something to review offline, every quote of it real", async (t) => {
    const world = await openContinuityWorld();
    t.after(() => world.remove());

    const found = await world.as<Distilled>(MARA, "distill.start", {
      conversationId: idOf("c", 1),
    });
    const text = await world.show(MARA, "distill.start", { conversationId: idOf("c", 1) });

    assert.ok(found.candidates.length > 0);
    assert.match(text, /✓ Harvest \S+: \d+ candidates?\./);
  });
});
