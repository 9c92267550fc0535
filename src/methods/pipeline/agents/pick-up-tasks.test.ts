/** Agents take up their tasks by themselves: each once, only what they may, and with the same contract as in workflows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerWait } from "../../../kernel/run/answer-wait.ts";
import { cancelRun } from "../../../kernel/run/run-control.ts";
import { archiveProject, insertProject } from "../../../kernel/store/projects.ts";
import { listTasks } from "../../../kernel/store/task-lists.ts";
import { archiveTask, restoreTask, updateTask } from "../../../kernel/store/tasks.ts";
import { updateUser } from "../../../kernel/store/users.ts";
import {
  ADMIN,
  ONE_STEP,
  OPERATOR,
  onEveryStore,
  refusal,
  type StarterWorld,
  VIEWER,
} from "../starters/starter-world.suite.ts";
import type { WorkView } from "./free-tasks.ts";
import { pickUpTasks } from "./pick-up-tasks.ts";

onEveryStore("agents", (world) => {
  const act = () => ({ actor: "admin", now: world().kernel.clock.now() });
  const take = (more: object = {}) =>
    pickUpTasks(world().kernel, { worker: "w", most: 20, ...more });
  const settle = async () => {
    const taken = await take();
    await world().idle();
    return taken;
  };

  test("a pending task of an agent is done with its prompt, the task's words and the base contract", async () => {
    const agent = await world().addAgent({ agentPrompt: "You count sheep, never goats." });
    const id = await world().addTask({
      title: "Count the flock",
      description: "In the north field.",
      extraPrompt: "Count twice.",
      input: { field: "north" },
      assigneeId: agent,
    });
    world().reply("Count the flock", {
      output: { sheep: 12 },
      summary: "Twelve.",
      metadata: { confidence: 0.8, suggested_tags: ["counted"] },
    });

    assert.equal(await settle(), 1);

    const task = await world().task(id);
    assert.equal(task.status, "completed");
    assert.deepEqual(task.output, { sheep: 12 });
    assert.deepEqual([task.summary, task.confidence, task.tags], ["Twelve.", 0.8, ["counted"]]);
    const prompt = world().prompts.findLast((text) => text.includes("Count the flock")) ?? "";
    const parts = ["## Status", "never goats", "Count twice.", "In the north field.", "north"];
    assert.deepEqual(
      parts.map((part) => prompt.indexOf(part) >= 0),
      parts.map(() => true),
    );
    assert.deepEqual(
      parts.map((part) => prompt.indexOf(part)).toSorted((a, b) => a - b),
      parts.map((part) => prompt.indexOf(part)),
    );
    assert.doesNotMatch(prompt, /## Workflow Step/);
    const run = (await world().runs()).find(({ id: runId }) => runId === task.runId);
    assert.deepEqual(
      [run?.title, run?.state, run?.started_by],
      ["Count the flock", "completed", "operator"],
    );
    assert.equal(await settle(), 0);
  });

  test("what is not an agent's to take up stays where it is, and is taken up once it is", async () => {
    const { kernel } = world();
    const agent = await world().addAgent();
    const resting = await world().addAgent();
    const [projectId, archivedProject] = [kernel.ids.next(), kernel.ids.next()];
    await kernel.store.write(function* () {
      for (const id of [projectId, archivedProject]) {
        yield* insertProject({ id, name: `P ${id}`, ownerId: "operator" }, act());
      }
      yield* archiveProject(archivedProject, act());
      yield* updateUser(resting, { isActive: false }, act());
    });
    const a = { assigneeId: agent };
    const held = await world().addTask({ ...a, status: "on_hold", holdReason: "later" });
    const person = await world().addTask({ assigneeId: "operator" });
    const nobody = await world().addTask({});
    const inactive = await world().addTask({ assigneeId: resting });
    const archived = await world().addTask({ ...a, projectId });
    const shelved = await world().addTask({ ...a, projectId: archivedProject });
    await kernel.store.write(() => archiveTask(archived, act()));

    assert.equal(await settle(), 0);

    await kernel.store.write(function* () {
      yield* restoreTask(archived, act());
      yield* updateUser(resting, { isActive: true }, act());
    });
    assert.equal(await settle(), 2);
    for (const id of [inactive, archived]) {
      assert.equal((await world().task(id)).status, "completed");
    }
    for (const id of [person, nobody, shelved]) {
      assert.equal((await world().task(id)).status, "pending");
    }
    assert.equal((await world().task(held)).status, "on_hold");
  });

  test("however many look at once, each task is taken up once, the oldest first and no more than there is room", async () => {
    const agent = await world().addAgent();
    const ids: string[] = [];
    for (let number = 0; number < 12; number += 1) {
      ids.push(await world().addTask({ title: `Pile ${number}`, assigneeId: agent }));
    }
    const before = (await world().runs()).length;
    const prompts = world().prompts.length;

    const first = await take({ most: 5 });
    const started = await world().runs();
    const rest = await Promise.all(
      ["a", "b", "c", "d"].map((worker) => take({ worker, most: 20 })),
    );
    await world().idle();

    assert.equal(first, 5);
    assert.deepEqual(
      started.slice(before).map(({ title }) => title),
      ["Pile 0", "Pile 1", "Pile 2", "Pile 3", "Pile 4"],
    );
    assert.equal(
      rest.reduce((sum, taken) => sum + taken, 0),
      7,
    );
    assert.equal((await world().runs()).length, before + 12);
    assert.equal(world().prompts.length, prompts + 12);
    for (const id of ids) assert.equal((await world().task(id)).status, "completed");
  });

  test("the table of statuses holds: a follow-up is a new task of the same agent in the same run", async () => {
    const agent = await world().addAgent();
    const id = await world().addTask({ title: "Paint the fence", assigneeId: agent });
    world().reply(
      "Paint the fence",
      { nextAction: "CONTINUE", nextActionReason: "The back is left.", output: { side: "front" } },
      { output: { side: "back" } },
    );

    await settle();

    const first = await world().task(id);
    const run = (await world().runs()).find(({ id: runId }) => runId === first.runId);
    const tasks = await runTasks(world(), run?.id ?? "");
    assert.deepEqual(
      tasks.map(({ title, status, assigneeId, output }) => ({ title, status, assigneeId, output })),
      [
        {
          title: "Paint the fence",
          status: "completed",
          assigneeId: agent,
          output: { side: "front" },
        },
        {
          title: "Paint the fence (2)",
          status: "completed",
          assigneeId: agent,
          output: { side: "back" },
        },
      ],
    );
    assert.equal(run?.state, "completed");
    const prompt = world().prompts.at(-1) ?? "";
    assert.match(prompt, /The back is left\./);
  });

  test("questions and holds stand in the inbox, and answers lead on", async () => {
    const agent = await world().addAgent();
    const asks = await world().addTask({ title: "Choose a colour", assigneeId: agent });
    const blocked = await world().addTask({ title: "Buy the paint", assigneeId: agent });
    world().reply(
      "Choose a colour",
      {
        questions: [{ id: "q", question: "Which one?", type: "choice", options: ["red", "blue"] }],
      },
      { output: { colour: "red" } },
    );
    world().reply("Buy the paint", { status: "BLOCKED", summary: "The shop is shut." });

    await settle();

    assert.equal((await world().task(asks)).status, "on_hold");
    assert.match((await world().task(blocked)).holdReason ?? "", /The shop is shut/);
    const waits = await world().waits();
    assert.deepEqual(waits.map(({ title, kind }) => `${title}, ${kind}`).toSorted(), [
      "Buy the paint, pipeline.task",
      "Choose a colour, pipeline.questions",
    ]);
    await answer(world(), "Choose a colour", { choice: "answer", fields: { q: "red" } });
    await answer(world(), "Buy the paint", { choice: "complete", fields: { output: "Bought." } });
    await world().idle();
    assert.deepEqual((await world().task(asks)).output, { colour: "red" });
    assert.match(world().prompts.findLast((text) => text.includes("Choose")) ?? "", /Answer: red/);
    assert.deepEqual((await world().task(blocked)).output, { text: "Bought." });
  });

  test("a failure is tried again, then the task has failed; asked for again, it is done in another run", async () => {
    const agent = await world().addAgent();
    const id = await world().addTask({ title: "Catch the hen", assigneeId: agent });
    const failed = { status: "FAILED", nextAction: "CONTINUE", summary: "It flew." };
    world().reply("Catch the hen", failed, failed, failed, {});

    await settle();
    for (let tries = 0; tries < 3; tries += 1) {
      world().leap(60_000);
      world().kernel.wake();
      await world().idle();
    }
    const once = await world().task(id);
    await settle();
    const rested = await world().task(id);
    await world().kernel.store.write(() => updateTask(id, { status: "pending" }, act()));
    assert.equal(await settle(), 1);

    const again = await world().task(id);
    assert.deepEqual([once.status, rested.status, again.status], ["failed", "failed", "completed"]);
    assert.notEqual(again.runId, once.runId);
  });

  test("a run that is cancelled takes its task along, and nobody takes it up again", async () => {
    const agent = await world().addAgent();
    const id = await world().addTask({ title: "Wait for rain", assigneeId: agent });
    world().reply("Wait for rain", { nextAction: "HOLD", summary: "No clouds." });
    await settle();
    const { runId = "" } = await world().task(id);

    await world().kernel.store.write(() =>
      cancelRun(world().kernel.engine, runId, "admin", world().kernel.clock.now()),
    );
    await settle();

    assert.equal((await world().task(id)).status, "cancelled");
  });

  test("a task made from a step of a workflow is done with that step's prompt and schema, and nothing after it", async () => {
    const source = `flowchart TD\n    write[Write] --> check(Check)\n\n%% === WORKFLOW_CONFIG ===\n%% @write: { "prompt": "Write about {{run.input.topic}}.", "outputSchema": { "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] } }\n%% @check: { "prompt": "Check." }\n%% === END_CONFIG ===\n`;
    const workflowId = await world().addWorkflow("Essays", source);
    const agent = await world().addAgent();
    const id = await world().addTask({
      title: "An essay",
      workflowId,
      workflowVersion: 1,
      stage: "write",
      input: { topic: "wells" },
      assigneeId: agent,
    });
    world().reply("Write about", { output: { text: "Deep." } });

    await settle();

    const task = await world().task(id);
    assert.equal(task.status, "completed");
    const prompt = world().prompts.findLast((text) => text.includes("An essay")) ?? "";
    assert.match(prompt, /Workflow Step: Write/);
    assert.match(prompt, /wells/);
    assert.equal((await runTasks(world(), task.runId ?? "")).length, 1);
  });

  test("tasks of a workflow's run are never taken up, also not when the run is over", async () => {
    const agent = await world().addAgent({ id: world().kernel.ids.next(), displayName: "Stepper" });
    const source = `${ONE_STEP}\n%% @write: { "prompt": "Stay.", "defaultAssigneeId": "Stepper" }\n`;
    const workflow = await world().addWorkflow("Stays", source);
    world().reply("Stay.", { nextAction: "HOLD" });
    const scheduled = await world().as<{ id: string }>(ADMIN, "schedule.add", {
      workflow,
      cron: "@yearly",
    });
    await world().as(ADMIN, "schedule.run", { scheduleId: scheduled.id });
    await world().idle();
    const [waiting] = (await world().waits()).filter(({ title }) => title.startsWith("Stays"));
    assert(waiting);

    assert.equal(await settle(), 0);
    await answer(world(), waiting.title, { choice: "fail" });
    await world().idle();
    assert.equal(await settle(), 0);
    assert.ok(agent);
  });

  test("a view narrows what a worker takes up, and says what comes first", async () => {
    const agent = await world().addAgent();
    const view: WorkView = { name: "garden", selection: { tags: ["garden"] }, order: "urgent" };
    const late = await world().addTask({ title: "Rake", tags: ["garden"], assigneeId: agent });
    const other = await world().addTask({ title: "Cook", assigneeId: agent });
    const first = await world().addTask({
      title: "Put out the fire",
      tags: ["garden"],
      urgency: "urgent",
      assigneeId: agent,
    });
    const before = (await world().runs()).length;

    const taken = await take({
      findView: function* () {
        yield* [];
        return view;
      },
    });
    await world().idle();

    assert.equal(taken, 2);
    assert.deepEqual(
      (await world().runs()).slice(before).map(({ title }) => title),
      ["Put out the fire", "Rake"],
    );
    assert.deepEqual(
      [
        (await world().task(late)).status,
        (await world().task(first)).status,
        (await world().task(other)).status,
      ],
      ["completed", "completed", "pending"],
    );
    await settle();
  });

  test("`task run` starts one by hand, or says why not", async () => {
    const agent = await world().addAgent({ displayName: "Digger" });
    const resting = await world().addAgent({ displayName: "Sleeper" });
    await world().kernel.store.write(() => updateUser(resting, { isActive: false }, act()));
    const id = await world().addTask({ title: "Dig", assigneeId: agent });
    const stuck = await world().addTask({ title: "Plant", assigneeId: agent });
    world().reply("Plant", { nextAction: "HOLD" });
    await world().as(OPERATOR, "task.run", { taskId: stuck });
    await world().idle();
    const others = {
      task_of_run: stuck,
      task_not_for_agent: await world().addTask({}),
      agent_inactive: await world().addTask({ assigneeId: resting }),
      task_not_pending: await world().addTask({ assigneeId: agent, status: "completed" }),
    };
    const run = (taskId: string) => world().as(OPERATOR, "task.run", { taskId });

    const shown = await world().show(OPERATOR, "task.run", { taskId: id });
    const codes: Record<string, string> = {};
    for (const [code, other] of Object.entries(others)) {
      codes[code] = (await refusal(() => run(other))).code;
    }
    const barred = await refusal(() => world().as(VIEWER, "task.run", { taskId: id }));
    await world().idle();

    assert.match(shown, /^✓ Digger works on "Dig" as run [0-9a-f-]{18}\./);
    assert.deepEqual(codes, Object.fromEntries(Object.keys(others).map((code) => [code, code])));
    assert.equal(barred.code, "permission_missing");
    const task = await world().task(id);
    assert.equal(task.status, "completed");
    const outline = await world().show(OPERATOR, "step.list", { runId: task.runId ?? "" });
    assert.match(outline, /completed {2}Dig/);
  });
});

async function runTasks(world: StarterWorld, runId: string) {
  const { kernel } = world;
  const page = await kernel.store.read(() =>
    listTasks({ viewer: "everything", runId, order: "oldest", isInactive: "both" }),
  );
  return page.items;
}

async function answer(
  world: StarterWorld,
  title: string,
  answered: { readonly choice: string; readonly fields?: object },
): Promise<void> {
  const { kernel } = world;
  const wait = (await world.waits()).find((each) => each.title === title);
  assert(wait, `somebody is asked about ${title}`);
  await kernel.store.write(() =>
    answerWait(
      kernel.engine,
      wait.id,
      { answer: answered as never, by: "reviewer" },
      kernel.clock.now(),
    ),
  );
  kernel.wake();
}
