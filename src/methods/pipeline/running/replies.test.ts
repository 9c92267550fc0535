import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { Task } from "../../../kernel/store/task.ts";
import { onEveryStore, type Reply } from "./pipeline-rig.suite.ts";

const TWO = (settings = "") => `graph TD
  A[Write] --> B[Check]
%% @A: {"prompt": "Write it.", "retries": 1${settings}}
%% @B: {"prompt": "Check {{output.text}}."}
`;

const COMPLETED = { way: "A:completed B:completed", state: "completed" };
const FOLLOWED = { way: "A:completed A:completed B:completed", state: "completed" };
const HELD = { way: "A:on_hold", state: "waiting" };
const FAILED = { way: "A:failed", state: "failed" };

const CELLS: Readonly<Record<string, Readonly<Record<string, typeof HELD>>>> = {
  SUCCESS: { COMPLETE: COMPLETED, CONTINUE: FOLLOWED, ESCALATE: HELD, HOLD: HELD },
  PARTIAL: { COMPLETE: COMPLETED, CONTINUE: FOLLOWED, ESCALATE: HELD, HOLD: HELD },
  BLOCKED: { COMPLETE: HELD, CONTINUE: HELD, ESCALATE: HELD, HOLD: HELD },
  FAILED: { COMPLETE: HELD, CONTINUE: FAILED, ESCALATE: HELD, HOLD: HELD },
};

const WHOLE = { output: { text: "well done" }, nextActionReason: "Say it with flowers." };

const infoOf = ({ additionalInfo }: Task) => additionalInfo as JsonObject;

onEveryStore("a reply", (rig) => {
  for (const [status, actions] of Object.entries(CELLS)) {
    for (const [nextAction, { way, state }] of Object.entries(actions)) {
      test(`that says ${status} and ${nextAction} leads to ${way}`, async () => {
        const asked: Reply = { step: "A", status, nextAction, ...WHOLE };
        const replies =
          state === "completed"
            ? [
                { ...asked, time: 1 },
                { step: "A", output: { text: "all of it" } },
              ]
            : [asked];
        const runId = await rig().start(TWO(), {}, { replies });
        await rig().rest(runId);
        assert.equal(await rig().way(runId), way);
        assert.equal((await rig().run(runId)).state, state);
        const [first, second] = await rig().tasks(runId);
        assert(first);
        assert.deepEqual(
          [infoOf(first)["status"], infoOf(first)["nextAction"]],
          [status, nextAction],
        );
        if (state === "waiting") {
          assert.match(first.holdReason ?? "", /Say it with flowers/);
          assert.equal((await rig().wait(runId)).reason, first.holdReason);
          assert.deepEqual(first.output, WHOLE.output);
          await rig().control("cancel", runId);
        }
        const prompts = (await rig().prompts(runId)).map(({ text }) => text);
        if (way === FOLLOWED.way) {
          assert.match(second?.description ?? "", /flowers/);
          assert.match(prompts[1] ?? "", /Say it with flowers/);
          assert.match(prompts[2] ?? "", /Check [^]*all of it/);
        }
        if (way === COMPLETED.way) assert.match(prompts[1] ?? "", /Check [^]*well done/);
        if (way === FAILED.way) {
          assert.equal(prompts.length, 2);
          assert.match(prompts[1] ?? "", /It was tried before|failed/i);
          assert.match(JSON.stringify(infoOf(first)["failure"]), /flowers/);
        }
      });
    }
  }

  test("that cannot be read is asked for once more with what was wrong, and counts when it is right then", async () => {
    const replies: Reply[] = [
      { step: "A", text: "Sure, I will get to it." },
      { step: "A", continuation: 1, output: { text: "there" } },
    ];
    const runId = await rig().play(TWO(), {}, { replies });
    assert.equal(await rig().way(runId), "A:completed B:completed");
    const [, correction] = await rig().prompts(runId);
    assert.equal(correction?.step, "A");
    assert.match(correction.text, /Sure, I will get to it/);
  });

  test("that still cannot be read after one correction is held with what it said, never completed", async () => {
    const replies: Reply[] = [{ step: "A", text: "Sure, I will get to it.", continuation: "*" }];
    const runId = await rig().play(TWO(), {}, { replies });
    assert.equal(await rig().way(runId), "A:on_hold");
    assert.equal((await rig().prompts(runId)).length, 2);
    const task = await rig().task(runId, "A");
    assert.match(task.holdReason ?? "", /does not meet its contract/);
    assert.match(JSON.stringify(task.output), /Sure, I will get to it/);
    assert.equal(JSON.stringify(infoOf(task)["failure"]).includes("reply_unreadable"), true);
    await rig().answer(await rig().wait(runId), "complete", { output: "done by hand" });
    assert.equal(await rig().way(runId), "A:completed B:completed");
    assert.deepEqual((await rig().task(runId, "A")).output, { text: "done by hand" });
  });

  test("whose output does not fit the step's schema is corrected once, then held", async () => {
    const schema = `, "outputSchema": {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}`;
    const wrong = { score: "high" };
    const replies: Reply[] = [{ step: "A", output: wrong, continuation: "*" }];
    const runId = await rig().play(TWO(schema), {}, { replies });
    assert.equal(await rig().way(runId), "A:on_hold");
    assert.match((await rig().wait(runId)).reason, /score/);
    await rig().answer(await rig().wait(runId), "complete", { score: "nine" });
    assert.match((await rig().wait(runId)).reason, /does not fit/);
    await rig().answer(await rig().wait(runId), "complete", { score: 9 });
    assert.deepEqual((await rig().task(runId, "A")).output, { score: 9 });
    assert.equal((await rig().run(runId)).state, "completed");
  });

  test("suggests tags, which are merged, and a next stage, which is shown and never followed", async () => {
    const metadata = {
      confidence: 0.9,
      suggested_tags: ["urgent", "foreach:fake"],
      suggested_next_stage: "A",
    };
    const runId = await rig().play(TWO(), {}, { replies: [{ step: "A", time: 1, metadata }] });
    assert.equal(await rig().way(runId), "A:completed B:completed");
    const task = await rig().task(runId, "A");
    assert.deepEqual(task.tags, ["urgent"]);
    assert.equal(task.confidence, 0.9);
    assert.equal(infoOf(task)["suggestedNextStage"], "A");
  });
});

const SURE = ', "minConfidence": 0.8';

onEveryStore("the confidence a step asks for", (rig) => {
  const unsure = (confidence?: number, more: Partial<Reply> = {}): Reply => ({
    step: "A",
    time: 1,
    output: { text: "maybe" },
    ...(confidence === undefined ? {} : { metadata: { confidence } }),
    ...more,
  });

  test("is met by as much or more, and the work goes on", async () => {
    const runId = await rig().play(TWO(SURE), {}, { replies: [unsure(0.8)] });
    assert.equal((await rig().run(runId)).state, "completed");
  });

  test("is not met by a reply that says nothing of it", async () => {
    const runId = await rig().play(TWO(SURE), {}, { replies: [unsure()] });
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /gave no confidence; this step asks for at least 0.8/);
    assert.deepEqual(wait.answers, ["approve", "complete", "retry", "fail"]);
    await rig().answer(wait, "fail");
    assert.equal((await rig().run(runId)).state, "failed");
    assert.equal(await rig().way(runId), "A:failed");
  });

  test("when not met, a person may approve the work as it is", async () => {
    const runId = await rig().play(TWO(SURE), {}, { replies: [unsure(0.5)] });
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /confidence is 0.5/);
    assert.deepEqual(wait.evidence, [{ kind: "output", value: { text: "maybe" } }]);
    await rig().answer(wait, "approve");
    assert.equal(await rig().way(runId), "A:completed B:completed");
    assert.deepEqual((await rig().task(runId, "A")).output, { text: "maybe" });
  });

  test("when not met, a person may put the work right", async () => {
    const runId = await rig().play(TWO(SURE), {}, { replies: [unsure(0.5)] });
    await rig().answer(await rig().wait(runId), "complete", { output: '{"text": "surely"}' });
    const check = (await rig().prompts(runId)).at(-1);
    assert.match(check?.text ?? "", /Check [^]*surely/);
    assert.equal((await rig().run(runId)).state, "completed");
  });

  test("when not met, a person may have it done again, saying what to do differently", async () => {
    const again: Reply = {
      step: "A",
      time: 2,
      output: { text: "yes" },
      metadata: { confidence: 1 },
    };
    const runId = await rig().play(TWO(SURE), {}, { replies: [unsure(0.5), again] });
    await rig().answer(await rig().wait(runId), "retry", { instruction: "Look at the source." });
    assert.equal(await rig().way(runId), "A:completed B:completed");
    const [, second] = await rig().prompts(runId);
    assert.match(second?.text ?? "", /Look at the source/);
  });

  test("when not met by work that is to be gone on with, approving it goes on with that first", async () => {
    const more = { nextAction: "CONTINUE", nextActionReason: "Add the numbers." };
    const rest: Reply = {
      step: "A",
      time: 2,
      output: { text: "1, 2" },
      metadata: { confidence: 1 },
    };
    const runId = await rig().play(TWO(SURE), {}, { replies: [unsure(0.5, more), rest] });
    await rig().answer(await rig().wait(runId), "approve");
    assert.equal(await rig().way(runId), "A:completed A:completed B:completed");
    assert.match((await rig().prompts(runId))[1]?.text ?? "", /Add the numbers/);
  });
});

const QUESTIONS: readonly Json[] = [
  { id: "tone", question: "Which tone?", type: "choice", options: option("warm", "plain") },
  { id: "length", question: "How many words?", type: "number", validation: { min: 10, max: 500 } },
  { id: "names", question: "Which names?", type: "multiselect", options: option("Ann", "Bo") },
  { id: "sign", question: "Sign it?", type: "confirm" },
  { id: "notes", question: "Anything else?", type: "text", required: false },
];

function option(...values: readonly string[]): Json {
  return values.map((value) => ({ value, label: value }));
}

onEveryStore("questions of a model", (rig) => {
  const asking: Reply = {
    step: "A",
    time: 1,
    status: "BLOCKED",
    nextAction: "HOLD",
    questions: QUESTIONS,
  };
  const ANSWERS = { tone: "warm", length: 120, names: ["Ann"], sign: true };

  test("stand in the inbox as a form; the answers go into the next prompt, and they are not asked again", async () => {
    const replies = [asking, { step: "A", output: { text: "Dear Ann" } }];
    const runId = await rig().play(TWO(), {}, { replies });
    const held = await rig().task(runId, "A");
    assert.equal(held.status, "on_hold");
    assert.equal(held.questions.length, 5);
    const wait = await rig().wait(runId);
    assert.deepEqual(
      wait.form.map((field) => (field as { name: string }).name),
      ["tone", "length", "names", "sign", "notes"],
    );
    await rig().answer(wait, "answer", ANSWERS);
    assert.equal(await rig().way(runId), "A:completed B:completed");
    const done = await rig().task(runId, "A");
    assert.deepEqual(done.questions, []);
    const [, second] = await rig().prompts(runId);
    for (const said of [/Which tone\?/, /warm/, /120/, /Ann/])
      assert.match(second?.text ?? "", said);
  });

  test("whose answers do not fit are asked again, and say why", async () => {
    const runId = await rig().play(TWO(), {}, { replies: [asking] });
    await rig().answer(await rig().wait(runId), "answer", { ...ANSWERS, tone: "cold", length: 5 });
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /do not fit/);
    assert.equal((await rig().task(runId, "A")).status, "on_hold");
    await rig().answer(wait, "answer", ANSWERS);
    assert.equal((await rig().run(runId)).state, "completed");
  });

  test("that come a second time are answered a second time, and both answers stand in the prompt", async () => {
    const more: Reply = {
      ...asking,
      time: 2,
      questions: [{ id: "date", question: "Which date?", type: "text" }],
    };
    const runId = await rig().play(TWO(), {}, { replies: [asking, more] });
    await rig().answer(await rig().wait(runId), "answer", ANSWERS);
    await rig().answer(await rig().wait(runId), "answer", { date: "1 May" });
    assert.equal((await rig().run(runId)).state, "completed");
    const third = (await rig().prompts(runId))[2]?.text ?? "";
    for (const said of [/Which tone\?/, /Which date\?/, /1 May/]) assert.match(third, said);
  });

  test("may be left: the step is skipped, or given up", async () => {
    const skipped = await rig().play(TWO(), {}, { replies: [asking] });
    await rig().answer(await rig().wait(skipped), "skip");
    assert.equal(await rig().way(skipped), "A:cancelled B:completed");
    const failed = await rig().play(TWO(), {}, { replies: [asking] });
    await rig().answer(await rig().wait(failed), "fail");
    assert.equal(await rig().way(failed), "A:failed");
  });
});

onEveryStore("a provider that fails", (rig) => {
  const down: Reply = { step: "A", misbehave: { kind: "server_error" } };

  test("is tried again for a while; then the task is held in the inbox, and retrying works", async () => {
    const replies = [1, 2, 3, 4, 5].map((time) => ({ ...down, time }));
    const runId = await rig().start(TWO(), {}, { replies });
    await rig().rest(runId);
    assert.equal(await rig().way(runId), "A:on_hold");
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /answered 5\d\d/);
    assert.deepEqual(wait.answers, ["retry", "complete", "skip", "fail"]);
    await rig().answer(wait, "retry");
    assert.equal(await rig().way(runId), "A:completed B:completed");
  });

  test("that refuses the work holds the task, which may then be done by hand", async () => {
    const refusing: Reply = { step: "A", misbehave: { kind: "refuse" }, continuation: "*" };
    const runId = await rig().play(TWO(), {}, { replies: [refusing] });
    await rig().answer(await rig().wait(runId), "complete", { output: "by hand" });
    assert.equal((await rig().run(runId)).state, "completed");
  });

  test("that takes longer than the step's timeout is given up each time, then held", async () => {
    const runId = await rig().start(
      TWO(', "timeout": "60ms"'),
      {},
      { replies: [{ step: "A", latencyMs: 30_000 }] },
    );
    await rig().rest(runId);
    assert.equal(await rig().way(runId), "A:on_hold");
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /longer than 60 ms/);
    await rig().answer(wait, "skip");
    assert.equal(await rig().way(runId), "A:cancelled B:completed");
  });

  test("that has as much time as a month is not cut off at once", async () => {
    const runId = await rig().play(
      TWO(', "timeout": "30d"'),
      {},
      { replies: [{ step: "A", latencyMs: 50 }] },
    );
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal((await rig().prompts(runId)).length, 2);
  });
});
