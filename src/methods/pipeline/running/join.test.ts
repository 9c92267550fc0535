import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/base/json.ts";
import { onEveryStore, type Reply, type Rig } from "./pipeline-rig.suite.ts";

const EACH = (policy = "", more = "") => `graph TD
  A[List] --> C[[Each: Work]]
  C --> D[Join All]
  D --> E[Report]
%% @A: {"prompt": "List."}
%% @C: {"stepType": "foreach", "itemsPath": "run.input.list", "prompt": "Do {{item}}.", "retries": 0}
%% @D: {"stepType": "join"${policy}${more}}
%% @E: {"prompt": "Report."}
`;

const BRANCHES = (policy = "") => `graph TD
  A[Fork] --> B[Left]
  A --> C[Middle]
  A --> F[Right]
  B --> D[Join Branches]
  C --> D
  F --> D
  D --> E[Report]
%% @A: {"prompt": "Fork."}
%% @B: {"prompt": "Left.", "retries": 0}
%% @C: {"prompt": "Middle.", "retries": 0}
%% @F: {"prompt": "Right.", "retries": 0}
%% @D: {"stepType": "join"${policy}}
%% @E: {"prompt": "Report."}
`;

const failing = (step: string, item?: number, time?: number): Reply => ({
  step,
  ...(item === undefined ? {} : { item }),
  ...(time === undefined ? {} : { time }),
  status: "FAILED",
  nextAction: "CONTINUE",
  nextActionReason: "It broke.",
});
const stalling = (step: string, item?: number): Reply => ({
  step,
  ...(item === undefined ? {} : { item }),
  time: 1,
  latencyMs: 60_000,
});
const LIST = { list: ["a", "b", "c", "d"] };

async function statuses(rig: Rig, runId: string): Promise<string> {
  const { aggregatedResults } = (await rig.task(runId, "D")).output as JsonObject;
  return (aggregatedResults as { status: string }[]).map(({ status }) => status).join(" ");
}

/** Waits until nothing but a call that never ends is left. */
async function reaches(rig: Rig, runId: string, way: string): Promise<void> {
  await rig.until(`it is ${way}`, async () => ((await rig.way(runId)) === way ? true : undefined));
}

onEveryStore("the join of a foreach", (rig) => {
  test("that needs all is held when an item fails, and says how many", async () => {
    const runId = await rig().play(EACH(), LIST, { replies: [failing("C", 1)] });
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /"Join All" needs all items; 3 of 4 items are completed, 1 failed/);
    assert.deepEqual(wait.answers, ["retry", "force", "skip", "fail"]);
    assert.equal((await rig().task(runId, "C", 0)).status, "on_hold");
    await rig().control("cancel", runId);
  });

  test("goes on with all when the failed items are tried again and succeed", async () => {
    const replies = [failing("C", 1, 1), failing("C", 3, 1)];
    const runId = await rig().play(EACH(), LIST, { replies });
    await rig().answer(await rig().wait(runId), "retry");
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(await statuses(rig(), runId), "completed completed completed completed");
    const tasks = (await rig().tasks(runId)).filter(
      ({ stage, parentId }) => stage === "C" && parentId,
    );
    assert.deepEqual(
      tasks.map(({ status }) => status),
      ["completed", "failed", "completed", "failed", "completed", "completed"],
    );
  });

  test("asks again when what is tried again fails again", async () => {
    const runId = await rig().play(EACH(), LIST, { replies: [failing("C", 1)] });
    await rig().answer(await rig().wait(runId), "retry");
    const again = await rig().wait(runId);
    assert.match(again.reason, /3 of 4 items are completed, 1 failed/);
    await rig().answer(again, "force");
    assert.equal((await rig().run(runId)).state, "completed");
  });

  test("goes on with what there is when a person forces it", async () => {
    const runId = await rig().play(EACH(), LIST, { replies: [failing("C", 1)] });
    await rig().answer(await rig().wait(runId), "force");
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(await statuses(rig(), runId), "completed failed completed completed");
  });

  test("goes on without the failed items when a person skips them", async () => {
    const runId = await rig().play(EACH(), LIST, { replies: [failing("C", 1)] });
    await rig().answer(await rig().wait(runId), "skip");
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(await statuses(rig(), runId), "completed skipped completed completed");
  });

  test("fails, and its run with it, when a person says so", async () => {
    const runId = await rig().play(EACH(), LIST, { replies: [failing("C", 1)] });
    await rig().answer(await rig().wait(runId), "fail");
    const { state, reason } = await rig().run(runId);
    assert.equal(state, "failed");
    assert.match(reason ?? "", /Each: Work/);
    assert.equal((await rig().task(runId, "C", 0)).status, "failed");
  });

  const tolerant: readonly [string, number, string][] = [
    ['"minPercent": 75', 1, "completed"],
    ['"minPercent": 75', 2, "held"],
    ['"minPercent": 0.5', 3, "completed"],
    ['"minCount": 2', 2, "completed"],
    ['"minCount": 2', 3, "held"],
    ['"minCount": 4', 1, "held"],
  ];
  for (const [policy, failures, end] of tolerant) {
    test(`with ${policy} and ${failures} of 4 failed is ${end}`, async () => {
      const replies = Array.from({ length: failures }, (_, item) => failing("C", item));
      const runId = await rig().play(EACH(`, ${policy}`), LIST, { replies });
      if (end === "completed") {
        assert.equal((await rig().run(runId)).state, "completed");
        const counts = ((await rig().task(runId, "D")).output as JsonObject)["counts"];
        assert.deepEqual(counts, {
          total: 4,
          completed: 4 - failures,
          failed: failures,
          skipped: 0,
          cancelled: 0,
        });
      } else {
        assert.match((await rig().wait(runId)).reason, /"Join All" needs/);
        await rig().control("cancel", runId);
      }
    });
  }

  test("that has enough does not wait for items that only people could finish", async () => {
    const replies = [{ step: "C", item: 2, status: "BLOCKED" }];
    const runId = await rig().play(EACH(', "minCount": 3'), LIST, { replies });
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(await statuses(rig(), runId), "completed completed cancelled completed");
    assert.deepEqual(await rig().waits(runId), []);
  });

  test("goes on with what there is at its deadline when it says partial, and late replies change nothing", async () => {
    const source = EACH(', "deadline": "10m", "onDeadline": "partial"');
    const runId = await rig().start(source, LIST, { replies: [stalling("C", 2)] });
    const all = "C:waiting C:completed C:completed C:in_progress C:completed";
    await reaches(rig(), runId, `A:completed ${all}`);
    await rig().leap(9 * 60_000);
    await reaches(rig(), runId, `A:completed ${all}`);
    await rig().leap(2 * 60_000);
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(await statuses(rig(), runId), "completed completed cancelled completed");
    assert.equal((await rig().task(runId, "C", 3)).status, "cancelled");
  });

  test("fails at its deadline when it says so, whatever is under way", async () => {
    const source = EACH(', "deadline": "10m", "onDeadline": "fail"');
    const runId = await rig().start(source, LIST, { replies: [stalling("C", 2)] });
    await reaches(
      rig(),
      runId,
      "A:completed C:waiting C:completed C:completed C:in_progress C:completed",
    );
    await rig().leap(11 * 60_000);
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "failed");
    assert.equal(
      await rig().way(runId),
      "A:completed C:failed C:completed C:completed C:cancelled C:completed",
    );
  });

  test("keeps its deadline over a restart", async () => {
    const source = EACH(', "deadline": "10m", "onDeadline": "partial"');
    const replies = [{ step: "C", item: 0, status: "BLOCKED" }];
    const runId = await rig().play(source, LIST, { replies });
    assert.equal((await rig().run(runId)).state, "waiting");
    await rig().stop();
    await rig().restart();
    await rig().leap(11 * 60_000);
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(await statuses(rig(), runId), "cancelled completed completed completed");
    assert.deepEqual(await rig().waits(runId), []);
  });

  test("has no deadline left once it has gone on", async () => {
    const source = EACH(', "deadline": "10m", "onDeadline": "fail"');
    const runId = await rig().play(source, LIST);
    assert.equal((await rig().run(runId)).state, "completed");
    await rig().leap(11 * 60_000);
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
  });

  test("with a prompt is a task over the results, and what it says is what follows sees", async () => {
    const source = EACH("", ', "prompt": "Sum up {{output.counts.completed}}."').replace(
      "Report.",
      "Report {{output.verdict}}.",
    );
    const replies: Reply[] = [
      { step: "C", item: 0, output: { word: "first" } },
      { step: "D", output: { verdict: "fine" } },
    ];
    const runId = await rig().play(source, LIST, { replies });
    assert.equal((await rig().run(runId)).state, "completed");
    const prompts = await rig().prompts(runId);
    assert.match(prompts.find(({ step }) => step === "D")?.text ?? "", /Sum up 4/);
    assert.match(prompts.find(({ step }) => step === "D")?.text ?? "", /first/);
    assert.match(prompts.find(({ step }) => step === "E")?.text ?? "", /Report [^]*fine/);
    assert.deepEqual((await rig().task(runId, "D")).output, { verdict: "fine" });
  });
});

onEveryStore("a join of parallel edges", (rig) => {
  test("goes on once, with what every branch said, in the order they are drawn", async () => {
    const replies: Reply[] = [
      { step: "B", output: { side: "left" }, latencyMs: 60 },
      { step: "C", output: { side: "middle" }, latencyMs: 30 },
      { step: "F", output: { side: "right" } },
    ];
    const runId = await rig().play(BRANCHES(), {}, { replies });
    assert.equal((await rig().run(runId)).state, "completed");
    assert.deepEqual((await rig().task(runId, "D")).output, {
      aggregatedResults: [
        { step: "B", status: "completed", output: { side: "left" } },
        { step: "C", status: "completed", output: { side: "middle" } },
        { step: "F", status: "completed", output: { side: "right" } },
      ],
      counts: { total: 3, completed: 3, failed: 0, skipped: 0, cancelled: 0 },
    });
    assert.equal((await rig().tasks(runId)).filter(({ stage }) => stage === "D").length, 1);
  });

  test("that needs all does not go on when a branch fails; the run fails when the others are done", async () => {
    const replies = [failing("C"), { step: "B", latencyMs: 50 }];
    const runId = await rig().play(BRANCHES(), {}, { replies });
    const { state, reason } = await rig().run(runId);
    assert.equal(state, "failed");
    assert.match(reason ?? "", /Middle\\" failed/);
    assert.equal(await rig().way(runId), "A:completed B:completed C:failed F:completed");
  });

  test("that needs two of three takes a failure up and goes on", async () => {
    const runId = await rig().play(BRANCHES(', "minCount": 2'), {}, { replies: [failing("C")] });
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(await statuses(rig(), runId), "completed failed completed");
  });

  test("that needs two of three and gets one fails as a task does", async () => {
    const replies = [failing("C"), failing("F")];
    const runId = await rig().play(BRANCHES(', "minPercent": 60'), {}, { replies });
    assert.equal((await rig().run(runId)).state, "failed");
    assert.equal(await rig().way(runId), "A:completed B:completed C:failed F:failed D:failed");
  });

  for (const [onDeadline, end] of [
    ["partial", "completed"],
    ["fail", "failed"],
  ] as const) {
    test(`at its deadline, counted from the first arrival, ends ${end} when it says ${onDeadline}; also after a restart`, async () => {
      const source = BRANCHES(`, "deadline": "1h", "onDeadline": "${onDeadline}"`);
      const replies = [{ step: "C", status: "BLOCKED" }];
      const runId = await rig().play(source, {}, { replies });
      await rig().leap(50 * 60_000);
      assert.equal((await rig().run(runId)).state, "waiting");
      await rig().restart();
      await rig().leap(20 * 60_000);
      await rig().idle();
      assert.equal((await rig().run(runId)).state, end);
      assert.equal((await rig().task(runId, "C")).status, "cancelled");
      assert.deepEqual(await rig().waits(runId), []);
      if (end === "completed") assert.equal(await statuses(rig(), runId), "completed completed");
      else assert.equal((await rig().task(runId, "D")).status, "failed");
    });
  }
});
