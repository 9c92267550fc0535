import assert from "node:assert/strict";
import { test } from "node:test";
import { queryFirst } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { onEveryStore, type Rig } from "./pipeline-rig.suite.ts";

const PAIR = `graph TD
  A[Work] --> B[After]
%% @A: {"prompt": "Work."}
%% @B: {"prompt": "After."}
`;

/** Status × next action, and what becomes of the two tasks. */
const TABLE = [
  ["SUCCESS", "COMPLETE", "A:completed B:completed"],
  ["SUCCESS", "CONTINUE", "A:completed A:completed B:completed"],
  ["SUCCESS", "ESCALATE", "A:on_hold"],
  ["SUCCESS", "HOLD", "A:on_hold"],
  ["PARTIAL", "COMPLETE", "A:completed B:completed"],
  ["PARTIAL", "CONTINUE", "A:completed A:completed B:completed"],
  ["PARTIAL", "ESCALATE", "A:on_hold"],
  ["PARTIAL", "HOLD", "A:on_hold"],
  ["BLOCKED", "COMPLETE", "A:on_hold"],
  ["BLOCKED", "CONTINUE", "A:on_hold"],
  ["BLOCKED", "ESCALATE", "A:on_hold"],
  ["BLOCKED", "HOLD", "A:on_hold"],
  ["FAILED", "COMPLETE", "A:on_hold"],
  ["FAILED", "ESCALATE", "A:on_hold"],
  ["FAILED", "HOLD", "A:on_hold"],
] as const;

onEveryStore("a reply", (rig) => {
  for (const [status, nextAction, way] of TABLE) {
    test(`${status} with ${nextAction} leads to ${way}`, async () => {
      const said = { status, nextAction, nextActionReason: "Look once more.", output: { x: 1 } };
      const runId = await rig().play(
        PAIR,
        {},
        {
          replies: [
            { step: "A", time: 1, ...said },
            { step: "A", output: { x: 2 } },
          ],
        },
      );
      assert.equal(await rig().way(runId), way);
    });
  }

  test("FAILED with CONTINUE is tried again, and fails when its attempts are used up", async () => {
    const source = PAIR.replace('"Work."', '"Work.", "retries": 1');
    const said = { status: "FAILED", nextAction: "CONTINUE", nextActionReason: "again" };
    const runId = await rig().start(source, {}, { replies: [{ step: "A", ...said }] });
    await rig().until("it has failed", async () => {
      await rig().leap(1_000);
      await rig().idle();
      return (await rig().run(runId)).state === "failed" ? true : undefined;
    });
    assert.equal(await rig().way(runId), "A:failed");
    assert.equal((await rig().prompts(runId)).length, 2);
  });

  test("that cannot be read is corrected once, and only what could be read then counts", async () => {
    const replies = [{ step: "A", text: "I did something, I think." }];
    const runId = await rig().play(PAIR, {}, { replies });
    const asked = (await rig().prompts(runId)).filter(({ step }) => step === "A");
    assert.equal(asked.length, 2);
    assert.equal(await rig().way(runId), "A:completed B:completed");
  });

  test("without the confidence a step asks for goes to a person, who approves it", async () => {
    const source = PAIR.replace('"Work."', '"Work.", "minConfidence": 0.8');
    const runId = await rig().play(source, {}, { replies: [{ step: "A", output: { x: 1 } }] });
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /gave no confidence; this step asks for at least 0.8/);
    await rig().answer(wait, "approve");
    await rig().idle();
    assert.equal(await rig().way(runId), "A:completed B:completed");
  });

  test("that asks is answered in the inbox, and the answer stands in the next prompt", async () => {
    const questions = [{ id: "branch", question: "Which branch?", type: "text" }];
    const runId = await rig().play(
      PAIR,
      {},
      {
        replies: [
          { step: "A", time: 1, nextAction: "HOLD", questions },
          { step: "A", output: { done: true } },
        ],
      },
    );
    const wait = await rig().wait(runId);
    await rig().answer(wait, "answer", { branch: "release-7" });
    await rig().idle();
    assert.equal(await rig().way(runId), "A:completed B:completed");
    const asked = (await rig().prompts(runId)).filter(({ step }) => step === "A");
    assert.match(asked.at(-1)?.text ?? "", /release-7/);
  });

  test("that suggests a stage is not followed there", async () => {
    const metadata = { confidence: 0.9, suggested_tags: ["neat"], suggested_next_stage: "Z" };
    const runId = await rig().play(PAIR, {}, { replies: [{ step: "A", metadata }] });
    const task = await rig().task(runId, "A");
    assert.deepEqual(task.tags, ["neat"]);
    assert.equal(task.confidence, 0.9);
    assert.equal(await rig().way(runId), "A:completed B:completed");
  });
});

const FORK = (join = "") => `graph TD
  A[Begin] --> B[Left]
  A --> C[Right]
  B --> D[Join Both]
  C --> D
  D --> E[End]
%% @A: {"prompt": "Begin."}
%% @B: {"prompt": "Left."}
%% @C: {"prompt": "Right."}
%% @D: {"stepType": "join"${join}}
%% @E: {"prompt": "End."}
`;

onEveryStore("parallel edges and subflows", (rig) => {
  test("are joined once, in drawing order, however late one comes", async () => {
    const runId = await rig().play(
      FORK(),
      {},
      {
        replies: [
          { step: "B", output: { side: "left" }, latencyMs: 60 },
          { step: "C", output: { side: "right" } },
        ],
      },
    );
    assert.equal((await rig().run(runId)).state, "completed");
    const joins = (await rig().tasks(runId)).filter(({ stage }) => stage === "D");
    assert.equal(joins.length, 1);
    assert.deepEqual(joins[0]?.output, {
      aggregatedResults: [
        { step: "B", status: "completed", output: { side: "left" } },
        { step: "C", status: "completed", output: { side: "right" } },
      ],
      counts: { total: 2, completed: 2, failed: 0, skipped: 0, cancelled: 0 },
    });
  });

  test("without a join run the step behind them once per arrival", async () => {
    const source = FORK()
      .replace("D[Join Both]", "D[Next]")
      .replace('{"stepType": "join"}', '{"prompt": "Next."}');
    const runId = await rig().play(source);
    const next = (await rig().tasks(runId)).filter(({ stage }) => stage === "D");
    assert.equal(next.length, 2);
  });

  test("a join that needs one goes on without a branch that is held", async () => {
    const runId = await rig().play(
      FORK(', "minCount": 1'),
      {},
      {
        replies: [{ step: "C", status: "BLOCKED", nextAction: "HOLD" }],
      },
    );
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal((await rig().task(runId, "C")).status, "cancelled");
    assert.deepEqual(await rig().waits(runId), []);
  });

  test("a deadline lets a join go on with what there is, also after a restart", async () => {
    const source = FORK(', "deadline": "10m", "onDeadline": "partial"');
    const runId = await rig().play(
      source,
      {},
      {
        replies: [{ step: "C", status: "BLOCKED", nextAction: "HOLD" }],
      },
    );
    assert.equal((await rig().run(runId)).state, "waiting");
    await rig().restart();
    await rig().leap(11 * 60_000);
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "completed");
    const { counts } = (await rig().task(runId, "D")).output as { counts: { completed: number } };
    assert.equal(counts.completed, 1);
  });

  test("a deadline that fails fails the run", async () => {
    const source = FORK(', "deadline": "10m", "onDeadline": "fail"');
    const runId = await rig().play(
      source,
      {},
      {
        replies: [{ step: "C", status: "BLOCKED", nextAction: "HOLD" }],
      },
    );
    await rig().leap(11 * 60_000);
    await rig().idle();
    assert.equal((await rig().run(runId)).state, "failed");
  });

  test("a condition over something absent holds the task, naming path and type; a person puts it right", async () => {
    const source = `graph TD
  A[Score] --> B{Enough?}
  B -->|"output.score >= 80"| C[Yes]
  B -->|default| D[No]
%% @A: {"prompt": "Score."}
%% @C: {"prompt": "Yes."}
%% @D: {"prompt": "No."}
`;
    const runId = await rig().play(
      source,
      {},
      { replies: [{ step: "A", output: { score: "95" } }] },
    );
    assert.equal(await rig().way(runId), "A:on_hold");
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /output\.score.*string.*number/s);
    await rig().answer(wait, "complete", { output: '{"score": 95}' });
    await rig().idle();
    assert.equal(await rig().way(runId), "A:completed C:completed");
  });

  test("a subflow gets its mapped input and gives its result back", async () => {
    const child = `graph TD
  X[Greet]
%% @X: {"prompt": "Greet {{run.input.name}}."}
`;
    await rig().save("Greeting", child);
    const source = `graph TD
  A[Find] --> S[[Run: Greeting]]
  S --> B[Use]
%% @A: {"prompt": "Find."}
%% @S: {"stepType": "subflow", "subflowId": "Greeting", "inputMapping": {"name": "output.who"}}
%% @B: {"prompt": "Use {{output.text}}."}
`;
    const runId = await rig().play(
      source,
      {},
      {
        replies: [
          { step: "A", output: { who: "Ann" } },
          { step: "X", output: { text: "hello-Ann" } },
        ],
      },
    );
    assert.equal((await rig().run(runId)).state, "completed");
    const prompts = await rig().prompts(runId);
    const [used] = prompts.filter(({ step }) => step === "B");
    assert.match(used?.text ?? "", /hello-Ann/);
  });

  test("a subflow that fails fails its step, and cancelling the run cancels what it started", async () => {
    await rig().save("Blocked", `graph TD\n  X[Stuck]\n%% @X: {"prompt": "Stuck."}\n`);
    const source = `graph TD\n  S[[Run: Blocked]] --> B[After]\n%% @S: {"stepType": "subflow", "subflowId": "Blocked"}\n%% @B: {"prompt": "After."}\n`;
    const replies = [{ step: "X", status: "BLOCKED", nextAction: "HOLD" }];
    const failing = await rig().play(source, {}, { replies });
    const child = await childOf(rig(), failing);
    await rig().answer(await rig().wait(child), "fail");
    await rig().idle();
    assert.equal((await rig().run(failing)).state, "failed");

    const cancelled = await rig().play(source, {}, { replies });
    const below = await childOf(rig(), cancelled);
    await rig().control("cancel", cancelled);
    assert.equal((await rig().run(below)).state, "cancelled");
  });
});

async function childOf(rig: Rig, runId: string): Promise<string> {
  const row = await rig.kernel.store.read(() =>
    queryFirst(db.selectFrom("run").select("id").where("parent_run_id", "=", runId)),
  );
  assert(row);
  return row.id;
}
