import assert from "node:assert/strict";
import { test } from "node:test";
import { onEveryStore } from "./pipeline-rig.suite.ts";

const MANUAL = `graph TD
  A[Draft] --> B(Review)
  B --> C[Publish]
%% @A: {"prompt": "Draft."}
%% @B: {"execution": "manual", "prompt": "Read {{output.title}}.", "outputSchema": {"type": "object", "properties": {"verdict": {"enum": ["yes", "no"]}, "stars": {"type": "integer", "minimum": 1, "maximum": 5}}, "required": ["verdict", "stars"]}}
%% @C: {"prompt": "Publish with {{output.stars}} stars."}
`;

const LOOP = `graph TD
  A[Try] --> B{Good?}
  B -->|"output.good"| C[Done]
  B -->|default| A
%% @A: {"prompt": "Try.", "maxIterations": 3}
%% @C: {"prompt": "Finish."}
`;

onEveryStore("people and caps", (rig) => {
  test("a manual step asks with its filled prompt and a form made from its schema", async () => {
    const replies = [{ step: "A", output: { title: "Tides" } }];
    const runId = await rig().play(MANUAL, {}, { replies });
    const wait = await rig().wait(runId);
    assert.equal(wait.reason, "Read Tides.");
    assert.deepEqual(wait.answers, ["complete", "reject"]);
    const names = wait.form.map((field) => (field as { name: string }).name);
    assert.deepEqual(names, ["verdict", "stars"]);
    await rig().answer(wait, "complete", { verdict: "yes", stars: 4 });
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
    const prompts = await rig().prompts(runId);
    assert(
      prompts.some(({ step, text }) => step === "C" && text.includes("Publish with 4 stars.")),
    );
  });

  test("what a person fills in wrongly is asked again, with what was wrong", async () => {
    const runId = await rig().play(MANUAL);
    await rig().answer(await rig().wait(runId), "complete", { verdict: "yes", stars: 9 });
    await rig().idle();
    const again = await rig().wait(runId);
    assert.match(again.reason, /does not fit/);
    await rig().answer(again, "complete", { verdict: "no", stars: 1 });
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
  });

  test("a rejected manual step fails, and the run with it, saying which", async () => {
    const runId = await rig().play(MANUAL);
    await rig().answer(await rig().wait(runId), "reject", undefined, "Not like this.");
    await rig().idle();
    const run = await rig().run(runId);
    assert.equal(run.state, "failed");
    assert.match(run.reason ?? "", /Review/);
    assert.equal(await rig().way(runId), "A:completed B:failed");
  });

  test("a step that loops is held at its cap, and goes on when a person raises it", async () => {
    const replies = [
      { step: "A", output: { good: false } },
      { step: "A", time: 5, output: { good: true } },
    ];
    const runId = await rig().play(LOOP, {}, { replies: replies.toReversed() });
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /has run 3 times/);
    assert.equal((await rig().tasks(runId)).filter(({ stage }) => stage === "A").length, 3);
    await rig().answer(wait, "raise", { cap: 10 });
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal((await rig().tasks(runId)).filter(({ stage }) => stage === "A").length, 5);
  });

  test("giving up at a cap fails the run", async () => {
    const runId = await rig().play(LOOP, {}, { replies: [{ step: "A", output: { good: false } }] });
    await rig().answer(await rig().wait(runId), "fail");
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "failed");
  });

  test("a run's cap on tasks holds it, and raising lets it go on", async () => {
    const source = `graph TD
  A[One] --> B[Two]
  B --> C[Three]
%% === WORKFLOW_CONFIG ===
%% workflow: {"maxTasks": 2}
%% @A: {"prompt": "One."}
%% @B: {"prompt": "Two."}
%% @C: {"prompt": "Three."}
%% === END_CONFIG ===
`;
    const runId = await rig().play(source);
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /at most 2/);
    await rig().answer(wait, "raise", { cap: 3 });
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
  });
});

const LINE = `graph TD
  A[One] --> B[Two]
  B --> C[Three]
%% @A: {"prompt": "One."}
%% @B: {"prompt": "Two."}
%% @C: {"prompt": "Three, after {{output.value}}."}
`;

onEveryStore("steering a run", (rig) => {
  test("a held step is retried with a person's instruction in its next prompt", async () => {
    const replies = [
      { step: "B", time: 2, output: { value: 2 } },
      { step: "B", status: "BLOCKED", nextAction: "HOLD" },
    ];
    const runId = await rig().play(LINE, {}, { replies });
    assert.equal(await rig().way(runId), "A:completed B:on_hold");
    const { id } = await rig().task(runId, "B");
    await rig().invoke("step.retry", { target: id, instruction: "Use the spare key." });
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
    assert.deepEqual(await rig().waits(runId), []);
    const asked = (await rig().prompts(runId)).filter(({ step }) => step === "B");
    assert.match(asked.at(-1)?.text ?? "", /Use the spare key\./);
  });

  test("a skipped step is cancelled, and the run goes on with what the step was given", async () => {
    const replies = [
      { step: "A", output: { value: "first" } },
      { step: "B", status: "BLOCKED", nextAction: "HOLD" },
    ];
    const runId = await rig().play(LINE, {}, { replies });
    await rig().invoke("step.skip", { taskId: (await rig().task(runId, "B")).id });
    await rig().idle();
    assert.equal(await rig().way(runId), "A:completed B:cancelled C:completed");
    assert.equal((await rig().run(runId)).state, "completed");
    const [prompt] = (await rig().prompts(runId)).filter(({ step }) => step === "C");
    assert.match(prompt?.text ?? "", /after first/);
  });

  test("a failed run is reopened by retrying its failed steps, and completes", async () => {
    const failed = { status: "FAILED", nextAction: "CONTINUE", nextActionReason: "again" };
    const replies = [
      ...[1, 2, 3].map((time) => ({ step: "B", time, ...failed })),
      { step: "B", output: { value: 1 } },
    ];
    const runId = await rig().start(LINE, {}, { replies });
    await rig().until("the run has failed", async () => {
      await rig().leap(10_000);
      await rig().idle();
      return (await rig().run(runId)).state === "failed" ? true : undefined;
    });
    assert.equal(await rig().way(runId), "A:completed B:failed");
    await rig().invoke("step.retry", { target: runId });
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(await rig().way(runId), "A:completed B:completed C:completed");
  });

  test("a completed run is run again from a step, and ends with the new result", async () => {
    const replies = [
      { step: "B", time: 1, output: { value: "old" } },
      { step: "B", output: { value: "new" } },
      { step: "C", time: 1, output: { end: 1 } },
      { step: "C", output: { end: 2 } },
    ];
    const runId = await rig().play(LINE, {}, { replies });
    assert.deepEqual((await rig().run(runId)).result, { end: 1 });
    await rig().invoke("step.rerun", { runId, step: "B" });
    await rig().idle();
    const run = await rig().run(runId);
    assert.equal(run.state, "completed");
    assert.deepEqual(run.result, { end: 2 });
  });

  test("a cancelled run takes its open tasks along", async () => {
    const runId = await rig().play(
      LINE,
      {},
      {
        replies: [{ step: "B", status: "BLOCKED", nextAction: "HOLD" }],
      },
    );
    await rig().control("cancel", runId);
    assert.equal(await rig().way(runId), "A:completed B:cancelled");
    assert.deepEqual(await rig().waits(runId), []);
  });

  test("a step that does not exist or is not stuck is refused, and so is steering a run that is over", async () => {
    const runId = await rig().play(LINE);
    const { id } = await rig().task(runId, "A");
    await assert.rejects(rig().invoke("step.rerun", { runId, step: "Z" }), {
      code: "step_unknown",
    });
    await assert.rejects(rig().invoke("step.retry", { target: id }), { code: "step_not_stuck" });
    await assert.rejects(rig().invoke("step.skip", { taskId: id }), { code: "run_ended" });
    await assert.rejects(rig().invoke("step.force", { runId, step: "B" }), { code: "run_ended" });
  });

  test("a dry run asks no one, walks to the end, and its tasks are in nobody's way", async () => {
    const runId = await rig().play(MANUAL, {}, { isDry: true });
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(await rig().way(runId), "A:completed B:completed C:completed");
    assert((await rig().tasks(runId)).every(({ isInactive }) => isInactive));
    const steps = (await rig().prompts(runId)).map(({ step }) => step);
    assert.deepEqual(steps, ["A", "B", "C"]);
  });
});
