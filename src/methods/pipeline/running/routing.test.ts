import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { query } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { onEveryStore, type Reply, type Rig } from "./pipeline-rig.suite.ts";

const CHOICE = (first: string, second?: string) => `graph TD
  A[Rate] --> Q{Good?}
  Q -->|${first}| G[Good]
  Q -->|${second ?? "default"}| H[Bad]
%% @A: {"prompt": "Rate."}
`;

/** What decisions were taken, from the run's own events. */
async function decisions(rig: Rig, runId: string): Promise<readonly JsonObject[]> {
  const rows = await rig.kernel.store.read(() =>
    query(
      db
        .selectFrom("event")
        .select("data")
        .where("stream", "=", runId)
        .where("type", "=", "decision.taken")
        .orderBy("seq"),
    ),
  );
  return rows.map(({ data }) => JSON.parse(data ?? "null") as JsonObject);
}

onEveryStore("edges", (rig) => {
  test("that leave one step together lead to work side by side", async () => {
    const source = "graph TD\n A[Fork] --> B[Left]\n A --> C[Right]\n";
    const replies = [
      { step: "B", latencyMs: 400 },
      { step: "C", latencyMs: 400 },
    ];
    const runId = await rig().start(source, {}, { replies });
    await rig().until("both are under way", async () => {
      const open = (await rig().tasks(runId)).filter(({ status }) => status === "in_progress");
      return open.length === 2 ? true : undefined;
    });
    await rig().idle();
    const { state, result } = await rig().run(runId);
    assert.equal(state, "completed");
    assert.deepEqual(Object.keys(result as JsonObject), ["B", "C"]);
  });

  test("that meet in a step without a join make it run once for each arrival", async () => {
    const source = `graph TD
      A[Fork] --> B[Left]
      A --> C[Right]
      B --> D[Use]
      C --> D
    %% @D: {"prompt": "Use {{output.side}}."}
    `;
    const replies = [
      { step: "B", output: { side: "left" } },
      { step: "C", output: { side: "right" }, latencyMs: 50 },
    ];
    const runId = await rig().play(source, {}, { replies });
    assert.equal((await rig().run(runId)).state, "completed");
    const used = (await rig().prompts(runId)).filter(({ step }) => step === "D");
    assert.equal(used.length, 2);
    assert.match(used[0]?.text ?? "", /Use [^]*left/);
    assert.match(used[1]?.text ?? "", /Use [^]*right/);
  });

  test("lead to a join once, also when branches have forks and choices of their own", async () => {
    const source = `graph TD
      A[Fork] --> B[Left]
      A --> C[Right]
      B --> B1[One]
      B --> B2[Two]
      B1 --> D[Join All]
      B2 --> D
      C --> Q{Again?}
      Q -->|output.again| C
      Q -->|default| D
      D --> E[End]
    `;
    const replies: Reply[] = [
      { step: "C", time: 1, output: { again: true }, latencyMs: 20 },
      { step: "C", output: { again: false } },
    ];
    const runId = await rig().play(source, {}, { replies });
    assert.equal((await rig().run(runId)).state, "completed");
    const stages = (await rig().tasks(runId)).map(({ stage }) => String(stage)).toSorted();
    assert.equal(stages.join(" "), "A B B1 B2 C C D E");
    const { aggregatedResults } = (await rig().task(runId, "D")).output as JsonObject;
    assert.deepEqual(
      (aggregatedResults as JsonObject[]).map(({ step }) => step),
      ["B1", "B2", "C"],
    );
  });
});

onEveryStore("a decision", (rig) => {
  const rates = (output: JsonObject): { readonly replies: readonly Reply[] } => ({
    replies: [{ step: "A", time: 1, output }],
  });

  test("follows the first condition that holds, in the order they are drawn", async () => {
    const source = CHOICE("output.score >= 50", "output.score >= 10");
    const good = await rig().play(source, {}, rates({ score: 60 }));
    const bad = await rig().play(source, {}, rates({ score: 20 }));
    assert.equal(await rig().way(good), "A:completed G:completed");
    assert.equal(await rig().way(bad), "A:completed H:completed");
    const [taken] = await decisions(rig(), bad);
    assert.deepEqual(taken?.["tried"], [
      { condition: "output.score >= 50", result: "false" },
      { condition: "output.score >= 10", result: "true" },
    ]);
  });

  test("takes a bare path that is absent or null for false, and the record says so", async () => {
    for (const output of [{}, { isGood: null }, { isGood: false }]) {
      const runId = await rig().play(CHOICE("output.isGood"), {}, rates(output));
      assert.equal(await rig().way(runId), "A:completed H:completed");
      const [effect] = await rig().kernel.store.read(() =>
        query(
          db
            .selectFrom("effect")
            .select("data")
            .where("run_id", "=", runId)
            .where("kind", "=", "pipeline.routed")
            .where("data", "like", "%output.isGood%"),
        ),
      );
      const { decisions: taken } = JSON.parse(effect?.data ?? "null") as {
        decisions: { tried: { evaluated: JsonObject[] }[] }[];
      };
      assert.equal(taken[0]?.tried[0]?.evaluated[0]?.["path"], "output.isGood");
    }
  });

  const unknown: readonly [string, JsonObject, RegExp][] = [
    ["an absent path", {}, /output\.score/],
    ["a text beside a number", { score: "95" }, /output\.score[^]*(string|text)[^]*number/],
  ];
  for (const [what, output, named] of unknown) {
    test(`that compares ${what} holds the task and names path and types`, async () => {
      const runId = await rig().play(CHOICE("output.score >= 80"), {}, rates(output));
      assert.equal(await rig().way(runId), "A:on_hold");
      const wait = await rig().wait(runId);
      assert.match(wait.reason, /"Good\?" cannot be decided: output\.score >= 80/);
      assert.match(wait.reason, named);
      const { tried } = wait.evidence[0] as { tried: { evaluated: Json[] }[] };
      assert.equal(tried[0]?.evaluated.length, 1);
      await rig().answer(wait, "complete", { output: '{"score": 95}' });
      assert.equal(await rig().way(runId), "A:completed G:completed");
      assert.deepEqual((await rig().task(runId, "A")).output, { score: 95 });
    });
  }

  test("where nothing matches and there is no default holds with what was evaluated; trying again asks the agent again", async () => {
    const source = CHOICE("output.score >= 80", "output.score < 10");
    const replies = [
      { step: "A", time: 1, output: { score: 50 } },
      { step: "A", output: { score: 5 } },
    ];
    const runId = await rig().play(source, {}, { replies });
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /No branch of "Good\?" matches and it has no default/);
    const { tried } = wait.evidence[0] as {
      tried: { condition: string; evaluated: JsonObject[] }[];
    };
    assert.deepEqual(
      tried.map(({ condition, evaluated }) => [condition, evaluated[0]?.["value"]]),
      [
        ["output.score >= 80", 50],
        ["output.score < 10", 50],
      ],
    );
    await rig().answer(wait, "retry", { instruction: "Be stricter." });
    assert.equal(await rig().way(runId), "A:completed H:completed");
    assert.match((await rig().prompts(runId))[1]?.text ?? "", /Be stricter/);
  });

  test("that a person gives up on fails the run", async () => {
    const runId = await rig().play(CHOICE("output.score >= 80"), {}, rates({}));
    await rig().answer(await rig().wait(runId), "fail");
    assert.equal((await rig().run(runId)).state, "failed");
    assert.equal(await rig().way(runId), "A:failed");
  });

  test("at the very beginning is about what the run was started with; what nobody can decide is given up", async () => {
    const source = `graph TD
      Q{Big?} -->|run.input.size > 10| G[Big]
      Q -->|default| H[Small]
    `;
    const big = await rig().play(source, { size: 11 });
    assert.equal(await rig().way(big), "G:completed");
    const unsaid = await rig().play(source, {});
    const wait = await rig().wait(unsaid);
    assert.match(wait.reason, /run\.input\.size/);
    assert.deepEqual(wait.answers, ["fail"]);
    await rig().answer(wait, "fail");
    assert.equal((await rig().run(unsaid)).state, "failed");
  });

  test("never follows what a model suggests as the next stage", async () => {
    const replies = [{ step: "A", output: { score: 90 }, metadata: { suggested_next_stage: "H" } }];
    const runId = await rig().play(CHOICE("output.score >= 50"), {}, { replies });
    assert.equal(await rig().way(runId), "A:completed G:completed");
  });
});

onEveryStore("names", (rig) => {
  test("of conditions and prompts: run.input, output, input as output over run.input, and steps", async () => {
    const source = `graph TD
      A[First] --> B[Second]
      B --> Q{Which?}
      Q -->|"steps.A.output.kind === 'x' && input.kept === 1 && input.level === 2 && run.input.level === 1"| C[Third]
      Q -->|default| D[Wrong]
    %% @B: {"prompt": "{{run.input.level}} {{output.kind}} {{input.kept}} {{input.level}}"}
    %% @C: {"prompt": "{{steps.A.output.kind}} {{steps.B.output.level}} {{output.level}} {{run.input.level}}"}
    `;
    const replies = [
      { step: "A", output: { kind: "x", level: 3 } },
      { step: "B", output: { level: 2 } },
    ];
    const runId = await rig().play(source, { level: 1, kept: 1 }, { replies });
    assert.equal(await rig().way(runId), "A:completed B:completed C:completed");
    const plain = (text: string) => text.replaceAll(/<[^>]*>|\\n/g, " ").replaceAll(/\s+/g, " ");
    const [, second, third] = (await rig().prompts(runId)).map(({ text }) => plain(text));
    assert.match(second ?? "", /1 x 1 3/);
    assert.match(third ?? "", /x 2 2 1/);
  });

  test("carry nothing forward: what only an earlier step said is known by its step alone", async () => {
    const source = `graph TD
      A[First] --> B[Second]
      B --> Q{Known?}
      Q -->|input.secret| C[Yes]
      Q -->|default| D[No]
    `;
    const replies = [
      { step: "A", output: { secret: true } },
      { step: "B", output: {} },
    ];
    const runId = await rig().play(source, {}, { replies });
    assert.equal(await rig().way(runId), "A:completed B:completed D:completed");
  });

  test("of steps mean the latest time they ran", async () => {
    const source = `graph TD
      A[Try] --> B[Judge]
      B --> Q{Enough?}
      Q -->|steps.A.output.round < 3| A
      Q -->|default| C[End]
    `;
    const replies = [1, 2, 3].map((round) => ({ step: "A", time: round, output: { round } }));
    const runId = await rig().play(source, {}, { replies });
    assert.equal((await rig().tasks(runId)).map(({ stage }) => stage).join(""), "ABABABC");
    assert.equal((await rig().task(runId, "A", 2)).title.endsWith("Try (3)"), true);
  });

  test("that nothing fills stay visible in the prompt and are told with the task", async () => {
    const source = `graph TD
      A[First] --> B[Second]
    %% @B: {"prompt": "Use {{output.there}}, {{output.missing}} and {{steps.A.output.gone}}."}
    `;
    const replies = [{ step: "A", output: { there: "this" } }];
    const runId = await rig().play(source, {}, { replies });
    assert.equal((await rig().run(runId)).state, "completed");
    const text = (await rig().prompts(runId))[1]?.text ?? "";
    assert.match(text, /\{\{output\.missing\}\} and \{\{steps\.A\.output\.gone\}\}/);
    const { additionalInfo } = await rig().task(runId, "B");
    assert.deepEqual((additionalInfo as JsonObject)["unknownPaths"], [
      "output.missing",
      "steps.A.output.gone",
    ]);
  });
});
