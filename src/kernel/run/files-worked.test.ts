import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { completed, inRig, job, turn, until } from "../../../tests/scratch/engine-rig.ts";
import { systemClock } from "../base/clock.ts";
import { createRehearsalModel } from "../model/rehearsal-model.ts";
import { localQueue } from "./local-queue.ts";
import type { ModelDirectory } from "./model-directory.ts";

const SQLITE = {
  dialect: "sqlite",
  openQueue: async () => ({ queue: localQueue, close: async () => {} }),
} as const;
const provider = createRehearsalModel(systemClock);
const models: ModelDirectory = {
  list: async () => [],
  defaultModel: async () => "rehearsal/trial",
  costOf: () => 0,
  find: async (name) => ({
    name,
    provider,
    worksOnFiles: name === "rehearsal/hands",
    costOf: () => 0,
  }),
};

describe("turns of models that work on files", () => {
  const handlers = [
    turn("first", {
      model: "rehearsal/hands",
      accept: () => ({ jobs: [job("2", "second"), job("3", "third")] }),
    }),
    turn("second", { model: "rehearsal/mouth", accept: () => ({}) }),
    turn("third", { model: "rehearsal/hands", accept: () => completed() }),
  ];
  const told: string[] = [];

  test(
    "are told of before anything follows from them, and who listens cannot harm them",
    inRig(SQLITE, { handlers, expectsTrouble: true }, async (rig) => {
      rig.engine({
        models,
        onFilesWorked: async ({ key, runId }, { value }) => {
          const { jobs } = await rig.run(runId);
          told.push(`${key}: ${typeof value}, ${jobs} planned`);
          throw new Error("no room");
        },
      });

      const id = await rig.begin({ jobs: [job("1", "first")] });
      await until("it ends", async () =>
        (await rig.run(id)).state === "completed" ? true : undefined,
      );

      assert.deepEqual(told, ["1: object, 1 planned", "3: object, 3 planned"]);
      assert.equal(rig.troubles.length, 2);
    }),
  );
});
