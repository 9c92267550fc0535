import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { localQueue } from "../../../kernel/run/local-queue.ts";
import type { Queue, QueueMessage } from "../../../kernel/run/queue.ts";
import { onEveryStore } from "../starters/starter-world.suite.ts";
import type { WorkView } from "./free-tasks.ts";
import { pickUpTasks } from "./pick-up-tasks.ts";
import { viewQueue } from "./view-queue.ts";

const GARDEN: WorkView = { name: "garden", selection: { tags: ["garden"] }, order: "oldest" };

onEveryStore(
  "the queue of a worker with a view",
  (world) => {
    test("holds the jobs of its tasks, all of them to their end, and no others; others are told of nothing that is its", async () => {
      const agent = await world().addAgent();
      const [rake, cook] = [
        await world().addTask({ title: "Rake", tags: ["garden"], assigneeId: agent }),
        await world().addTask({ title: "Cook", assigneeId: agent }),
      ];
      world().reply("Rake", { nextAction: "CONTINUE", nextActionReason: "More leaves." }, {});
      const told: QueueMessage[] = [];
      const base: Queue = {
        ...localQueue,
        *enqueue(messages) {
          told.push(...messages);
        },
      };
      const kernel = { ...world().kernel, engine: { ...world().kernel.engine, queue: base } };
      const own = viewQueue(base, "garden");
      const limited = { ...kernel, engine: { ...kernel.engine, queue: own } };
      const findView = function* () {
        yield* [];
        return GARDEN;
      };

      await pickUpTasks(limited, { worker: "with a view", most: 5, findView });
      await pickUpTasks(kernel, { worker: "without", most: 5 });
      const first = told.length;
      world().startEngine(own);
      for (let tries = 0; tries < 500; tries += 1) {
        if ((await world().runs()).some(({ state }) => state === "completed")) break;
        await sleep(10);
      }

      assert.equal(first, 1, "only the task without the view is announced");
      assert.equal(told.length, 1);
      assert.deepEqual(
        (await world().runs()).map(({ title, state }) => [title, state]),
        [
          ["Rake", "completed"],
          ["Cook", "queued"],
        ],
      );
      assert.equal((await world().task(rake)).status, "completed");
      assert.equal((await world().task(cook)).status, "pending");
      world().startEngine(localQueue);
      await world().idle();
      assert.equal((await world().task(cook)).status, "completed");
    });
  },
  { engine: "none" },
);
