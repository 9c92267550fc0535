import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { onEveryStore, type Reply, type Rig } from "./pipeline-rig.suite.ts";

const EACH = (settings = "") => `graph TD
  A[List] --> C[[Each: Work]]
  C --> D[Join All]
  D --> E[Report]
%% @A: {"prompt": "List."}
%% @C: {"stepType": "foreach", "itemsPath": "output.list", "prompt": "Do {{item.name}}."${settings}}
%% @D: {"stepType": "join"}
%% @E: {"prompt": "Report on {{output.counts.completed}} of {{output.counts.total}}."}
`;

function listing(count: number): Reply {
  const list = Array.from({ length: count }, (_, index) => ({ name: `item ${index}` }));
  return { step: "A", output: { list } };
}

const worked = (index: number) => ({ index, status: "completed", output: { did: index } });

async function joined(rig: Rig, runId: string): Promise<JsonObject> {
  return (await rig.task(runId, "D")).output as JsonObject;
}

onEveryStore("a foreach", (rig) => {
  for (const count of [0, 1, 2, 100]) {
    test(`over ${count} items runs each once and joins them once, in their order`, async () => {
      const replies = [
        listing(count),
        // The last are answered first.
        ...Array.from({ length: count }, (_, item) => ({
          step: "C",
          item,
          output: { did: item },
          latencyMs: count <= 2 ? (count - item) * 20 : 0,
        })),
      ];
      const runId = await rig().play(EACH(), {}, { replies });
      assert.equal((await rig().run(runId)).state, "completed");
      const tasks = await rig().tasks(runId);
      const items = tasks.filter(({ stage, parentId }) => stage === "C" && parentId);
      assert.equal(items.length, count);
      assert.equal(tasks.length, count + 4);
      assert.equal(new Set(items.map(({ title }) => title)).size, count);
      assert.deepEqual(await joined(rig(), runId), {
        aggregatedResults: Array.from({ length: count }, (_, index) => worked(index)),
        counts: { total: count, completed: count, failed: 0, skipped: 0, cancelled: 0 },
      });
    });
  }

  test("marks its children with the tag of their parent, and the parent waits meanwhile", async () => {
    const replies = [listing(2), { step: "C", latencyMs: 300 }];
    const runId = await rig().start(EACH(), {}, { replies });
    const container = await rig().until("the foreach waits", async () =>
      (await rig().tasks(runId)).find(({ status }) => status === "waiting"),
    );
    await rig().idle();
    const children = (await rig().tasks(runId)).filter(({ parentId }) => parentId !== undefined);
    assert.equal(container.stage, "C");
    assert.deepEqual(
      children.map(({ parentId, tags }) => [parentId, tags]),
      [0, 1].map(() => [container.id, [`foreach:${container.id}`]]),
    );
  });

  const odd: readonly [string, JsonObject, RegExp][] = [
    ["missing", {}, /No items for "Each: Work".*list/],
    ["null", { list: null }, /No items for "Each: Work".*null/],
  ];
  for (const [what, output, warning] of odd) {
    test(`whose list is ${what} goes straight on, with a warning`, async () => {
      const runId = await rig().play(EACH(), {}, { replies: [{ step: "A", output }] });
      assert.equal((await rig().run(runId)).state, "completed");
      const { additionalInfo } = await rig().task(runId, "C");
      assert.match((additionalInfo as { readonly warning: string }).warning, warning);
      assert.deepEqual((await joined(rig(), runId))["aggregatedResults"], []);
    });
  }

  test("whose list is empty goes straight on without a word", async () => {
    const runId = await rig().play(EACH(), {}, { replies: [listing(0)] });
    assert.equal((await rig().task(runId, "C")).additionalInfo, undefined);
  });

  test("whose list is no list is held with what there is, and goes on with what a person gives", async () => {
    const replies = [{ step: "A", output: { list: "one, two" } }];
    const runId = await rig().play(EACH(), {}, { replies });
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /"Each: Work" needs a list at output\.list; there is a string/);
    assert.equal((await rig().task(runId, "A")).status, "on_hold");
    await rig().answer(wait, "complete", { output: '{"list": [{"name": "one"}]}' });
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal(
      await rig().way(runId),
      "A:completed C:completed C:completed D:completed E:completed",
    );
  });

  test("over 101 items is held with the reason, and raising the limit lets all of them go on", async () => {
    const runId = await rig().play(EACH(), {}, { replies: [listing(101)] });
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /"Each: Work" has 101 items; at most 100 are allowed/);
    assert.equal(await rig().way(runId), "A:on_hold");
    assert.deepEqual(
      wait.form.map((field) => (field as JsonObject)["initial"]),
      [101],
    );
    await rig().answer(wait, "raise", { cap: 101 });
    assert.equal((await rig().run(runId)).state, "completed");
    assert.equal((await rig().tasks(runId)).length, 105);
  });

  test("over too many items that nobody wants fails the step that listed them", async () => {
    const runId = await rig().play(EACH(), {}, { replies: [listing(101)] });
    await rig().answer(await rig().wait(runId), "fail");
    assert.equal((await rig().run(runId)).state, "failed");
    assert.equal(await rig().way(runId), "A:failed");
  });

  test("over a million items is stopped at its limit within a second", async () => {
    const many = JSON.stringify(Array.from({ length: 1_000_000 }, () => 1));
    const source = EACH().replace("output.list", "run.input.list");
    const runId = await rig().start(source, { list: JSON.parse(many) as Json });
    const begun = process.cpuUsage();
    await rig().idle();
    const { user, system } = process.cpuUsage(begun);
    const took = (user + system) / 1_000;
    const wait = await rig().wait(runId);
    assert.match(wait.reason, /has 1000000 items; at most 100 are allowed/);
    assert(took < 1_000, `it took ${Math.round(took)} ms of this process`);
    await rig().control("cancel", runId);
  });

  test("never has more items under way than its concurrency allows", async () => {
    const replies = [listing(12), { step: "C", latencyMs: 40 }];
    const runId = await rig().start(EACH(', "concurrency": 3'), {}, { replies });
    let most = 0;
    await rig().until("it ends", async () => {
      const open = (await rig().tasks(runId)).filter(
        ({ parentId, status }) => parentId && (status === "in_progress" || status === "pending"),
      );
      most = Math.max(most, open.length);
      return (await rig().run(runId)).state === "completed" ? true : undefined;
    });
    assert(most > 0 && most <= 3, `${most} at once`);
  });

  test("lets the next items in while others are on hold", async () => {
    const replies = [
      listing(5),
      { step: "C", item: 0, time: 1, status: "BLOCKED" },
      { step: "C", item: 1, time: 1, status: "BLOCKED" },
    ];
    const runId = await rig().play(EACH(', "concurrency": 1'), {}, { replies });
    assert.equal(
      await rig().way(runId),
      "A:completed C:waiting C:on_hold C:on_hold C:completed C:completed C:completed",
    );
    for (const wait of await rig().waits(runId)) await rig().answer(wait, "retry");
    assert.equal((await rig().run(runId)).state, "completed");
    assert.deepEqual(
      ((await joined(rig(), runId))["aggregatedResults"] as JsonObject[]).map(
        ({ index, status }) => [index, status],
      ),
      [0, 1, 2, 3, 4].map((index) => [index, "completed"]),
    );
  });

  test("repeats a body of several steps, with decisions, for every item by itself", async () => {
    const source = `graph TD
      A[List] --> C[[Each: Part]]
      C --> R[Read]
      R --> Q{Good?}
      Q -->|output.score >= 50| G[Praise]
      Q -->|default| H[Mend]
      G --> D[Join All]
      H --> D
    %% @A: {"prompt": "List."}
    %% @C: {"stepType": "foreach", "itemsPath": "output.list", "itemVariable": "part"}
    %% @R: {"prompt": "Read {{part}} ({{index}} of {{total}}, {{item}})."}
    %% @G: {"prompt": "Praise {{part}} for {{output.score}}."}
    %% @H: {"prompt": "Mend {{part}}: {{steps.R.output.score}}."}
    %% @D: {"stepType": "join"}
    `;
    const replies: Reply[] = [
      { step: "A", output: { list: ["a", "b", "c"] } },
      ...[90, 10, 50].map((score, item) => ({ step: "R", item, output: { score } })),
      { step: "G", output: { praised: true } },
      { step: "H", output: { mended: true } },
    ];
    const runId = await rig().play(source, {}, { replies });
    assert.equal((await rig().run(runId)).state, "completed");
    assert.deepEqual((await joined(rig(), runId))["aggregatedResults"], [
      { index: 0, status: "completed", output: { praised: true } },
      { index: 1, status: "completed", output: { mended: true } },
      { index: 2, status: "completed", output: { praised: true } },
    ]);
    const prompts = await rig().prompts(runId);
    const mend = prompts.find(({ step }) => step === "H")?.text ?? "";
    assert.match(mend, /Mend [^]*b[^]*10/);
    assert.match(
      prompts.find(({ step, item }) => step === "R" && item === "2")?.text ?? "",
      /2 of 3/,
    );
    for (const { step, text } of prompts) assert(!text.includes("{{"), step);
  });

  test("gives an item that forks what each of its branches said, by step", async () => {
    const source = `graph TD
      A[List] --> C[[Each: Part]]
      C --> R[Read]
      R --> G[Left]
      R --> H[Right]
      G --> D[Join All]
      H --> D
    %% @A: {"prompt": "List."}
    %% @C: {"stepType": "foreach", "itemsPath": "output.list"}
    %% @D: {"stepType": "join", "awaitTag": "foreach:C"}
    `;
    const replies: Reply[] = [
      { step: "A", output: { list: [1, 2] } },
      { step: "G", output: { side: "left" }, latencyMs: 30 },
      { step: "H", output: { side: "right" } },
    ];
    const runId = await rig().play(source, {}, { replies });
    assert.equal((await rig().run(runId)).state, "completed", await rig().way(runId));
    const output = { G: { side: "left" }, H: { side: "right" } };
    assert.deepEqual((await joined(rig(), runId))["aggregatedResults"], [
      { index: 0, status: "completed", output },
      { index: 1, status: "completed", output },
    ]);
  });

  test("inside another gives every outer item the results of its own inner items", async () => {
    const source = `graph TD
      A[List] --> C[[Each: Chapter]]
      C --> F[[Each: Page]]
      F --> P[Read]
      P --> J[Join Pages]
      J --> D[Join Chapters]
    %% @A: {"prompt": "List."}
    %% @C: {"stepType": "foreach", "itemsPath": "output.chapters", "itemVariable": "chapter"}
    %% @F: {"stepType": "foreach", "itemsPath": "chapter.pages", "itemVariable": "page"}
    %% @P: {"prompt": "Read page {{page}} of {{chapter.name}}, {{index}} of {{total}}."}
    %% @J: {"stepType": "join"}
    %% @D: {"stepType": "join"}
    `;
    const chapters = [
      { name: "one", pages: [11, 12, 13] },
      { name: "two", pages: [] },
      { name: "three", pages: [31] },
    ];
    const replies: Reply[] = [{ step: "A", output: { chapters } }];
    const runId = await rig().play(source, {}, { replies });
    assert.equal((await rig().run(runId)).state, "completed", await rig().way(runId));
    const results = (await joined(rig(), runId))["aggregatedResults"] as JsonObject[];
    const counts = results.map(({ output }) => (output as JsonObject)["counts"] as JsonObject);
    assert.deepEqual(
      counts.map(({ completed }) => completed),
      [3, 0, 1],
    );
    const read = (await rig().prompts(runId)).filter(({ step }) => step === "P");
    assert.equal(read.length, 4);
    assert(read.some(({ text }) => /page 13 of one, 2 of 3/.test(text.replaceAll(/<[^>]*>/g, ""))));
    const pages = (await rig().tasks(runId)).filter(({ stage }) => stage === "P");
    const inner = (await rig().tasks(runId)).filter(({ stage }) => stage === "F");
    assert.deepEqual(
      new Set(pages.map(({ parentId }) => parentId)),
      new Set([inner[0]?.id, inner[2]?.id]),
    );
  });
});
