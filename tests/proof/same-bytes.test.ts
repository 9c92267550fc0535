/**
 * The same state compiles to the same bytes, on both databases: random projects, written into each in the same words,
 * with everything that orders, cuts and hides. `STATES=10000` tries as many.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ProductError } from "../../src/kernel/base/errors.ts";
import { hashText } from "../../src/kernel/base/hash.ts";
import { createDice, type Dice } from "../../src/kernel/model/rehearsal-dice.ts";
import { insertConversation } from "../../src/kernel/store/conversations.ts";
import { insertDecision } from "../../src/kernel/store/decisions.ts";
import { insertHighlight } from "../../src/kernel/store/highlights.ts";
import { appendMessages } from "../../src/kernel/store/messages.ts";
import { insertProject } from "../../src/kernel/store/projects.ts";
import { insertRedaction } from "../../src/kernel/store/redactions.ts";
import { insertTask } from "../../src/kernel/store/tasks.ts";
import type { DatabaseWork } from "../../src/kernel/store/database-work.ts";
import { MARA, openContinuityWorld } from "../../src/methods/continuity/continuity-world.suite.ts";
import { INTENTS } from "../../src/methods/continuity/packet/intents.ts";
import { daysAgo } from "../../src/methods/continuity/packet/packet-world.suite.ts";
import { hostileTexts } from "../hostile/corpus.ts";

const STATES = Number(process.env["STATES"] ?? 40);
/** PostgreSQL answers several while one waits. */
const AT_ONCE = 8;
const ASKED_A_STATE = 3;
const HIDDEN = "the wrack under stone 907 glows";
/** What databases order, compare and store differently, if they are let. */
const TEXTS = [
  "a",
  "B",
  "ä",
  "Z",
  "z",
  "É",
  "e\u0301",
  "ß",
  "I",
  "ı",
  "1",
  "10",
  "2",
  "_",
  " ",
  "-",
  "~",
  "Leases, not locks",
  "[blocker] Nobody may write",
  "Is it [open loop]?",
  "# A heading\n\n- one\n- two\n",
  "a sentence that goes on. ".repeat(40),
  "```\ncode\n```",
  "x".repeat(3000),
  ...hostileTexts().map(({ text }) => text.toWellFormed().replaceAll("\u0000", "")),
].filter((text) => text.trim() !== "");
const STATUSES = ["pending", "in_progress", "on_hold"] as const;
const URGENCIES = ["low", "normal", "high", "urgent"] as const;

test(`${STATES} random states on two databases compile to the same bytes, with nothing redacted in them`, async (t) => {
  const worlds = [
    await openContinuityWorld({ dialect: "sqlite" }),
    await openContinuityWorld({ dialect: "postgres" }),
  ] as const;
  t.after(() => Promise.all(worlds.map((world) => world.remove())));
  const seen = { compiled: 0, refused: 0, cut: 0, masked: 0 };
  const compareState = async (state: number) => {
    const seed = `state ${state}`;
    await Promise.all(
      worlds.map(({ kernel }) =>
        kernel.store.write(() => writeState(createDice(hashText(seed)), state)),
      ),
    );
    const dice = createDice(hashText(`${seed}, asked`));
    for (let asked = 0; asked < ASKED_A_STATE; asked += 1) {
      const request = {
        ...originOf(dice, state),
        budget: 1200 + dice.below(5000),
        ...(dice.below(4) === 0 ? { asOf: daysAgo(dice.below(9)) } : {}),
      };
      const [one, other] = await Promise.all(
        worlds.map((world) => outcomeOf(world.as(MARA, "packet.preview", request))),
      );
      assert.deepEqual(one, other, `${seed}: ${JSON.stringify(request)}`);
      if (one === undefined || "refused" in one) {
        seen.refused += 1;
        continue;
      }
      seen.compiled += 1;
      if (one.isTruncated) seen.cut += 1;
      if (one.promptText.includes("[REDACTED")) seen.masked += 1;
      assert.equal(one.hash, hashText(one.promptText));
      assert.ok(!one.promptText.replaceAll(/\s+/g, " ").includes(HIDDEN), `${seed} tells it`);
    }
  };
  for (let from = 0; from < STATES; from += AT_ONCE) {
    const states = Array.from({ length: Math.min(AT_ONCE, STATES - from) }, (_, n) => from + n);
    await Promise.all(states.map(compareState));
  }
  assert.ok(
    Math.min(seen.compiled, seen.cut * 8, seen.masked * 8) > STATES / 2,
    JSON.stringify(seen),
  );
  t.diagnostic(
    `${STATES} states × 2 databases: ${seen.compiled} prompts, 0 bytes differ, ${seen.cut} cut to their budget, ${seen.masked} with something redacted, 0 of it told; ${seen.refused} refused alike`,
  );
});

interface Compiled {
  readonly promptText: string;
  readonly hash: string;
  readonly isTruncated: boolean;
}

/** All that is said about it, or the same refusal. */
async function outcomeOf(work: Promise<unknown>): Promise<Compiled | { readonly refused: string }> {
  try {
    return (await work) as Compiled;
  } catch (error) {
    if (error instanceof ProductError) return { refused: `${error.code} ${error.message}` };
    throw error;
  }
}

function idOf(kind: number, state: number, number: number): string {
  const tail = (state * 100 + number).toString(16).padStart(12, "0");
  return `0199b000-000${kind}-7000-8000-${tail}`;
}
const [PROJECT, TALK, SAID, HIGHLIGHT, TASK, DECISION, REDACTION] = [1, 2, 3, 4, 5, 6, 7] as const;

function originOf(dice: Dice, state: number): object {
  const intent = dice.pick(INTENTS.filter((slug) => slug !== "custom")) ?? "";
  switch (dice.below(4)) {
    case 0:
      return { originType: "task", originId: idOf(TASK, state, 0), intent };
    case 1:
      return { originType: "decision", originId: idOf(DECISION, state, 0), intent };
    default:
      return { originType: "project", originId: idOf(PROJECT, state, 0), intent };
  }
}

function* writeState(dice: Dice, state: number): DatabaseWork<void> {
  const text = () => dice.pick(TEXTS) ?? "";
  const title = () => text().slice(0, 150).trim() || "T";
  const act = () => ({ actor: "mara", now: daysAgo(dice.below(40)) - dice.below(3) });
  const times = (most: number) => Array.from({ length: dice.below(most + 1) }, (_, n) => n);
  const projectId = idOf(PROJECT, state, 0);
  const conversationId = idOf(TALK, state, 0);
  yield* insertProject(
    {
      id: projectId,
      name: `${state} ${title()}`.slice(0, 80),
      ownerId: "mara",
      description: text(),
    },
    { actor: "mara", now: daysAgo(60) },
  );
  const talk = { title: title(), source: "chatgpt", startedAt: daysAgo(dice.below(50)) };
  yield* insertConversation({ id: conversationId, ...talk, projectIds: [projectId] }, act());
  // Of a passage every repetition is hidden, of a message what was drawn from it.
  const isPassage = dice.below(3) > 0;
  const repeated = () => (isPassage && dice.below(5) === 0 ? `It is known that ${HIDDEN}. ` : "");
  const said = [0, 1, ...times(4).map((n) => n + 2)].map((n) => ({
    id: idOf(SAID, state, n),
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: n === 1 ? `Know that ${HIDDEN} at night. ${text()}` : text(),
    position: n,
    at: daysAgo(9) + n,
  }));
  yield* appendMessages(conversationId, said, act());
  const source = () => {
    const message = dice.pick(said);
    return message === undefined || dice.below(2) === 0
      ? { projectId }
      : { projectId, messageId: message.id };
  };
  for (const n of times(6)) {
    const content = `${repeated()}${text()}`;
    yield* insertHighlight({ id: idOf(HIGHLIGHT, state, n), content, ...source() }, act());
  }
  for (const n of [0, ...times(7).map((each) => each + 1)]) {
    const status = dice.pick(STATUSES) ?? "pending";
    const task = {
      id: idOf(TASK, state, n),
      projectId,
      title: title(),
      description: `${repeated()}${text()}`,
      status,
      ...(status === "on_hold" ? { holdReason: title() } : {}),
      urgency: dice.pick(URGENCIES) ?? "normal",
      tags: times(3).map(() => title().slice(0, 20)),
      isBlocker: dice.below(4) === 0,
      isOpenLoop: dice.below(4) === 0,
    } as const;
    yield* insertTask(task, act());
  }
  for (const n of [0, ...times(5).map((each) => each + 1)]) {
    const decision = { id: idOf(DECISION, state, n), title: title(), content: text() };
    const supersedesId = n > 0 && dice.below(3) === 0 ? idOf(DECISION, state, n - 1) : undefined;
    yield* insertDecision({ ...decision, ...source(), supersedesId }, act());
  }
  const hidden = said[1]?.content ?? "";
  const start = hidden.indexOf(HIDDEN);
  const span = isPassage ? { start, end: start + HIDDEN.length } : undefined;
  const redaction = { id: idOf(REDACTION, state, 0), projectId, messageId: idOf(SAID, state, 1) };
  yield* insertRedaction({ ...redaction, span, reason: "Private." }, act());
}
