/** Models that break off, wander, refuse and stall: no half answer passes as whole, and no turn goes on for ever. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as z from "zod";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import {
  completed,
  hastyClock,
  inRig,
  job,
  move,
  note,
  type Rig,
  type RigKind,
  type RigOptions,
  turn,
  until,
} from "../../../tests/scratch/engine-rig.ts";
import { systemClock } from "../base/clock.ts";
import { ProductError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import { defineContract } from "../contract/contract.ts";
import type { Store } from "../store/store.ts";
import { answerWait } from "./answer-wait.ts";

const VALUE = {
  summary: 'Five "days" \\ fünf Tage, 五天 🧪\nand a line.',
  tags: ["first 🧪", "second", ""],
  score: 4.25,
};
const inJson = defineContract({
  name: "turns.json",
  schema: z.object({ summary: z.string(), tags: z.array(z.string()), score: z.number() }),
});
const STORY = {
  title: "How it went",
  story: "It began well.\n\nThen, 五天 later 🧪, it\nbroke.",
  moral: "Keep the thread.",
};
const inSections = defineContract({
  name: "turns.sections",
  schema: z.object({ title: z.string(), story: z.string(), moral: z.string() }),
  sections: [
    { heading: "Title", field: "title", read: "text" },
    { heading: "Story", field: "story", read: "text" },
    { heading: "Moral", field: "moral", read: "text" },
  ],
});

interface Kept {
  readonly key: string;
  readonly data: string;
}

/** Notes the accepted value as an effect. */
function asking(contract: ReturnType<typeof defineContract> = inJson) {
  return turn("item", {
    contract,
    prompt: (view) => `Tell about ${view.item ?? view.key}.`,
    accept: (view, { value }) => ({
      effects: [note(view, { value: JSON.stringify(value) })],
      ...(view.batchId === null ? completed() : {}),
    }),
  });
}

function fanOf(names: readonly string[]) {
  return move("fan", () => ({
    batches: [
      {
        key: "fan",
        jobs: names.map((name) => ({ ...job(`item ${name}`, "item"), item: name })),
        followUp: job("join", "join"),
      },
    ],
  }));
}
const join = move("join", () => completed());

export function turnsSuite(kind: RigKind): void {
  describe("turns with models that misbehave", { concurrency: 1 }, () => {
    test("what arrived before a pause is written down while the pause lasts", async () => {
      const goOn = new AbortController();
      const [half, rest] = [JSON.stringify(VALUE).slice(0, 9), JSON.stringify(VALUE).slice(9)];
      await inRig(
        kind,
        {
          handlers: [asking()],
          async *call(_request, { signal }) {
            yield { type: "text", text: half };
            await systemClock.sleep(60_000, AbortSignal.any([signal, goOn.signal]));
            yield { type: "text", text: rest };
            yield { type: "finish", reason: "stop", rawReason: "stop", usage: {} };
          },
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "item")] });
          await until("its beginning is written down", async () =>
            (await rowsOf(rig.store, "select id from delta")).length === 1 ? true : undefined,
          );
          goOn.abort();
          await rig.reaches(id, "completed");

          assert.deepEqual(await valuesOf(rig, id), [VALUE]);
        },
      )();
    });

    test(
      "a piece of a reply that was written although nobody said so is there once, and gone with the answer",
      inRig(
        kind,
        {
          handlers: [asking()],
          clock: hastyClock(20),
          script: { replies: [{ reply: VALUE, latencyMs: 12_000 }] },
          expectsTrouble: true,
        },
        async (rig) => {
          const pieces = () =>
            rowsOf<{ body: string }>(rig.store, "select body from delta order by id");
          let isLost = false;
          const losing: Store = {
            ...rig.store,
            async write(work) {
              const before = (await pieces()).length;
              const result = await rig.store.write(work);
              if (isLost || (await pieces()).length === before) return result;
              isLost = true;
              throw new ProductError("store_outcome_unknown", "No answer.", {
                kind: "unavailable",
              });
            },
          };
          const first = rig.engine({ leaseMs: 3_600_000, store: losing });
          const id = await rig.begin({ jobs: [job("a", "item")] });
          await until("a piece is written and nobody says so", async () => isLost || undefined);
          // So long that more of it arrives.
          await systemClock.sleep(250);
          await first.stop();
          const received = (await pieces()).map(({ body }) => body).join("");
          rig.engine({ leaseMs: 3_600_000 });
          await rig.reaches(id, "completed");

          assert.ok(received.length > 0);
          assert.equal(received.indexOf(received.slice(0, 6), 1), -1, `once: ${received}`);
          assert.deepEqual(await valuesOf(rig, id), [VALUE]);
          assert.deepEqual(await pieces(), []);
        },
      ),
    );

    for (const [syntax, contract, value] of [
      ["JSON", inJson, VALUE],
      ["sections", inSections, STORY],
    ] as const) {
      for (const how of ["truncate", "cut"] as const) {
        test(`a reply in ${syntax} that is ${how === "cut" ? "cut" : "truncated"} at any byte is accepted as the original`, () =>
          cutEverywhere(kind, contract as typeof inJson, value, how));
      }
    }

    for (const misbehave of [
      "fence",
      "prose",
      "break",
      "fall_silent",
      "stall",
      "repeat",
    ] as const) {
      test(
        `a reply with the fault "${misbehave}" gives the same value`,
        inRig(
          kind,
          {
            handlers: [asking()],
            clock: hastyClock(40),
            idleMs: 400,
            script: { replies: [{ reply: VALUE, misbehave: { kind: misbehave } }] },
          },
          async (rig) => {
            rig.engine();
            const id = await rig.begin({ jobs: [job("a", "item")] });
            await rig.reaches(id, "completed");

            assert.deepEqual(await valuesOf(rig, id), [VALUE]);
            assert.ok(rig.calls.length <= 2);
          },
        ),
      );
    }

    test(
      "a wrong reply is corrected once, naming what was wrong",
      inRig(
        kind,
        {
          handlers: [asking()],
          script: {
            replies: [
              { continuation: 0, reply: { summary: "x", tags: "none" } },
              { continuation: 1, reply: VALUE },
            ],
          },
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "item")] });
          await rig.reaches(id, "completed");

          assert.deepEqual(await valuesOf(rig, id), [VALUE]);
          assert.equal(rig.calls.length, 2);
          const asked = rig.calls[1]?.request.messages ?? [];
          assert.deepEqual(
            asked.map(({ role }) => role),
            ["system", "user", "assistant", "user"],
          );
          assert.match(asked.at(-1)?.text ?? "", /score/);
        },
      ),
    );

    const hopeless: readonly {
      readonly name: string;
      readonly options: Pick<RigOptions, "script" | "call">;
      readonly code: string;
      readonly calls: number;
    }[] = [
      {
        name: "always answers something else",
        options: {
          script: { replies: [{ continuation: "*", reply: "Let me tell you of gardens." }] },
        },
        code: "reply_unreadable",
        calls: 2,
      },
      {
        name: "always thinks and never speaks",
        options: { script: { replies: [{ continuation: "*", misbehave: { kind: "empty" } }] } },
        code: "reply_empty",
        calls: 2,
      },
      {
        name: "is always down",
        options: {
          script: { replies: [{ continuation: "*", misbehave: { kind: "server_error" } }] },
        },
        code: "model_",
        calls: 5,
      },
      {
        name: "always asks to come back later",
        options: {
          script: {
            replies: [{ continuation: "*", misbehave: { kind: "rate_limit", retryAfterMs: 2000 } }],
          },
        },
        code: "model_rate_limited",
        calls: 5,
      },
      {
        name: "never comes to an end",
        options: {
          async *call() {
            yield { type: "text", text: '{"summary": "and on and on' };
            yield { type: "finish", reason: "length", rawReason: "max_tokens", usage: {} };
          },
        },
        code: "reply_unfinished",
        calls: 6,
      },
      {
        name: "breaks off before the first word, always",
        options: {
          script: { replies: [{ continuation: "*", misbehave: { kind: "cut", at: 0 } }] },
        },
        code: "model_cut",
        calls: 5,
      },
    ];
    for (const { name, options, code, calls } of hopeless) {
      test(
        `a model that ${name} is given up after ${calls} calls: the job is held, and retried it is tried as often again`,
        inRig(kind, { handlers: [asking()], clock: hastyClock(200), ...options }, async (rig) => {
          rig.engine({ leaseMs: 3_600_000 });
          const id = await rig.begin({ jobs: [job("a", "item")] });
          await rig.reaches(id, "held");

          const [held] = await rig.jobs(id);
          assert.ok(held?.failure?.code.startsWith(code), held?.failure?.code);
          assert.equal(rig.calls.length, calls);

          const wait = await rig.openWait(id);
          await rig.write(() =>
            answerWait(rig.tools, wait.id, { answer: { choice: "retry" }, by: "ann" }, rig.now()),
          );
          await until("it is held again", async () =>
            (await rig.run(id)).state === "held" && rig.calls.length === 2 * calls
              ? true
              : undefined,
          );
          const answers = await rowsOf(rig.store, "select outcome from answer where run_id = ?", [
            id,
          ]);
          assert.equal(answers.length, 2 * calls, "every call is on record");
        }),
      );
    }

    test(
      "a model that gave no text is given more room and told to think less",
      inRig(
        kind,
        {
          handlers: [asking()],
          script: {
            replies: [
              { continuation: 0, misbehave: { kind: "empty" } },
              { continuation: 1, reply: VALUE },
            ],
          },
        },
        async (rig) => {
          rig.engine();
          const id = await rig.begin({ jobs: [job("a", "item")] });
          await rig.reaches(id, "completed");

          const [first, second] = rig.calls.map(({ request }) => request);
          assert.equal(second?.maxOutputTokens, 2 * (first?.maxOutputTokens ?? 0));
          assert.equal(second?.reasoning, "low");
          assert.deepEqual(second?.messages, first?.messages);
        },
      ),
    );

    test("a provider that asks for time gets it", async () => {
      const factor = 40;
      await inRig(
        kind,
        {
          handlers: [asking()],
          clock: hastyClock(factor),
          script: {
            replies: [
              { attempt: 1, misbehave: { kind: "rate_limit", retryAfterMs: 7000 } },
              { reply: VALUE },
            ],
          },
        },
        async (rig) => {
          rig.engine({ leaseMs: 3_600_000 });
          const id = await rig.begin({ jobs: [job("a", "item")] });
          await rig.reaches(id, "completed");

          const [first, second] = rig.calls;
          const waited = ((second?.startedAt ?? 0) - (first?.endedAt ?? 0)) * factor;
          assert.ok(waited >= 6900, `${waited} ms`);
          const events = await rig.events(id);
          assert.equal(events.filter(({ type }) => type === "turn.retried").length, 1);
        },
      )();
    });

    test(
      "a call whose worker is lost is on record, and the next worker goes on from what had arrived",
      inRig(
        kind,
        {
          handlers: [asking()],
          clock: hastyClock(20),
          script: { replies: [{ reply: VALUE, latencyMs: 12_000 }] },
        },
        async (rig) => {
          const first = rig.engine({ leaseMs: 3_600_000 });
          const id = await rig.begin({ jobs: [job("a", "item")] });
          await until("some of it is written down", async () =>
            (await rowsOf(rig.store, "select id from delta")).length >= 2 ? true : undefined,
          );
          await first.stop();
          rig.engine({ leaseMs: 3_600_000 });
          await rig.reaches(id, "completed");

          const goneOn = rig.calls[1]?.request.continuationOf?.text ?? "";
          assert.ok(goneOn.length > 5, "it goes on from what had arrived");
          assert.deepEqual(await valuesOf(rig, id), [VALUE]);
          const answers = await rowsOf<{ outcome: string; reply: string }>(
            rig.store,
            "select outcome, reply from answer where run_id = ? order by exchange_id",
            [id],
          );
          assert.deepEqual(
            answers.map(({ outcome }) => outcome),
            ["lost", "answered"],
          );
          assert.equal(answers[0]?.reply, goneOn);
        },
      ),
    );

    for (const [syntax, contract, value] of [
      ["JSON", inJson, VALUE],
      ["sections", inSections, STORY],
    ] as const) {
      test(
        `a worker lost in the middle of a continuation in ${syntax} leaves no tail that passes for the whole`,
        inRig(
          kind,
          {
            handlers: [asking(contract as typeof inJson)],
            clock: hastyClock(20),
            script: {
              replies: [
                {
                  attempt: 1,
                  continuation: 0,
                  reply: value,
                  misbehave: { kind: "truncate", at: 20 },
                },
                { attempt: 1, continuation: 1, latencyMs: 20_000 },
                { attempt: 2, continuation: 0, reply: value },
              ],
            },
          },
          async (rig) => {
            const first = rig.engine({ leaseMs: 3_600_000 });
            const id = await rig.begin({ jobs: [job("a", "item")] });
            await until("most of the continuation is written down", async () =>
              (await rowsOf(rig.store, "select id from delta")).length >= 4 ? true : undefined,
            );
            await first.stop();
            rig.engine({ leaseMs: 3_600_000 });
            await rig.reaches(id, "completed");

            assert.deepEqual(await valuesOf(rig, id), [value]);
          },
        ),
      );
    }

    test("a job whose worker is lost again and again is held in the end", async () => {
      await inRig(kind, { handlers: [asking()], latencyMs: 60_000 }, async (rig) => {
        const id = await rig.begin({ jobs: [job("a", "item")] });
        for (let round = 1; (await rig.run(id)).state !== "held"; round += 1) {
          assert.ok(round < 60, "the model is not called for ever");
          const engine = rig.engine();
          await until("it is called or held", async () =>
            rig.calls.length === round || (await rig.run(id)).state === "held" ? true : undefined,
          );
          await engine.stop();
        }
        const [held] = await rig.jobs(id);
        assert.equal(held?.failure?.code, "worker_lost_often");
      })();
    });
  });
}

/** One item for every byte of the reply, each broken off there. */
async function cutEverywhere(
  kind: RigKind,
  contract: typeof inJson,
  value: Json,
  how: "truncate" | "cut",
): Promise<void> {
  const whole = await wholeReply(kind, contract, value);
  const bytes = Buffer.byteLength(whole);
  const names = Array.from({ length: bytes + 1 }, (_, at) => String(at));
  await inRig(
    kind,
    {
      handlers: [fanOf(names), asking(contract), join],
      clock: hastyClock(100),
      script: {
        replies: [
          ...names.map((name) => ({
            item: name,
            attempt: 1,
            reply: value,
            misbehave: { kind: how, at: Number(name), unit: "byte" },
          })),
          // Where nothing arrived there is nothing to go on from: it is asked again.
          { item: "0", continuation: 1, reply: value },
        ],
        default: { reply: value },
      },
    },
    async (rig) => {
      rig.engine({ concurrency: 100, leaseMs: 3_600_000 });
      const id = await rig.begin({ jobs: [job("start", "fan")] });
      const run = await rig.rest(id);
      assert.equal(
        run.state,
        "completed",
        JSON.stringify(run.reason ?? (await heldReasons(rig, id))),
      );

      const values = await valuesOf(rig, id);
      assert.equal(values.length, bytes + 1);
      for (const accepted of values) assert.deepEqual(accepted, value);
    },
  )();
}

async function wholeReply(kind: RigKind, contract: typeof inJson, value: Json): Promise<string> {
  let text = "";
  await inRig(
    kind,
    { handlers: [asking(contract)], script: { default: { reply: value } } },
    async (rig) => {
      rig.engine();
      const id = await rig.begin({ jobs: [job("a", "item")] });
      await rig.reaches(id, "completed");
      const [answer] = await rowsOf<{ reply: string }>(rig.store, "select reply from answer");
      text = answer?.reply ?? "";
    },
  )();
  return text;
}

async function heldReasons(rig: Rig, runId: string) {
  return (await rig.jobs(runId))
    .filter(({ state }) => state === "held")
    .map(({ key, failure }) => [key, failure]);
}

async function valuesOf(rig: Rig, runId: string): Promise<readonly unknown[]> {
  const rows = await rowsOf<Kept>(rig.store, "select key, data from effect where run_id = ?", [
    runId,
  ]);
  return rows.map(
    ({ data }) => JSON.parse((JSON.parse(data) as { value: string }).value) as unknown,
  );
}
