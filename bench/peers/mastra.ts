/**
 * Mastra with libsql, as shipped (its workflow store asks for synchronous=NORMAL).
 *
 * A line is one step in a loop, its cheapest form that goes on after a kill where it stopped (tried
 * with kill -9); written as 1,000 distinct steps it was fifty times slower and took 1.5 GB, since
 * every step rewrites a snapshot of all steps. The fan is `foreach`, which after a kill starts every
 * child again: durable as a whole, not per child.
 */

import path from "node:path";
import { Mastra } from "@mastra/core/mastra";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { LibSQLStore } from "@mastra/libsql";
import { z } from "zod";
import {
  type Check,
  type EmbeddedSubject,
  type Fan,
  PAYLOAD,
  range,
  type Sequences,
  type Shape,
  stepCount,
} from "../subject.ts";

const Item = z.object({ done: z.number(), payload: z.string() });
const EMPTY = { done: 0, payload: "" };

/** Mastra stores only the last outcome of a step, so a second join could not be seen in its store. */
let joins = 0;

const step = createStep({
  id: "step",
  inputSchema: Item,
  outputSchema: Item,
  execute: async ({ inputData }) => ({ done: inputData.done + 1, payload: PAYLOAD }),
});

export const subjects = [
  {
    name: "mastra",
    storage: "sqlite",
    async run(shape, { directory, time }) {
      joins = 0;
      const workflow = shape.kind === "fan" ? fanOf(shape) : lineOf(shape);
      const storage = new LibSQLStore({
        id: "bench",
        url: `file:${path.join(directory, "mastra.db")}`,
      });
      const mastra = new Mastra({ workflows: { bench: workflow }, storage, logger: false });
      await storage.init();
      const runs = shape.kind === "fan" ? 1 : shape.runs;
      const timing = await time(async () => {
        await Promise.all(
          range(runs).map(async (run) => {
            const started = await mastra.getWorkflow("bench").createRun({ runId: `run-${run}` });
            await started.start({ inputData: EMPTY });
          }),
        );
      });
      const checks = await readChecks(storage, shape, runs);
      return { ...timing, steps: stepCount(shape), checks };
    },
  },
] as const satisfies readonly EmbeddedSubject[];

function lineOf(shape: Sequences) {
  return createWorkflow({ id: "bench", inputSchema: Item, outputSchema: Item })
    .dountil(step, async ({ inputData }) => inputData.done >= shape.stepsPerRun)
    .commit();
}

function fanOf(shape: Fan) {
  const open = createStep({
    id: "open",
    inputSchema: Item,
    outputSchema: z.array(Item),
    execute: async () => range(shape.children).map(() => EMPTY),
  });
  const join = createStep({
    id: "join",
    inputSchema: z.array(Item),
    outputSchema: Item,
    execute: async ({ inputData }) => {
      joins += 1;
      return { done: inputData.reduce((sum, { done }) => sum + done, 0), payload: PAYLOAD };
    },
  });
  return createWorkflow({ id: "bench", inputSchema: Item, outputSchema: Item })
    .then(open)
    .foreach(step, { concurrency: shape.children })
    .then(join)
    .commit();
}

/** Reads the stored snapshots, not what the runs returned. */
async function readChecks(storage: LibSQLStore, shape: Shape, runs: number): Promise<Check[]> {
  const workflows = await storage.getStore("workflows");
  if (workflows === undefined) throw new Error("Mastra's libsql store keeps no workflows.");
  const snapshots = await Promise.all(
    range(runs).map((run) =>
      workflows.loadWorkflowSnapshot({ workflowName: "bench", runId: `run-${run}` }),
    ),
  );
  const results = snapshots.map((snapshot) => Item.parse(snapshot?.result));
  return [
    {
      name: "runs stored as success",
      expected: runs,
      found: snapshots.filter((snapshot) => snapshot?.status === "success").length,
    },
    {
      name: "steps in the stored results",
      expected: stepCount(shape),
      found: results.reduce((sum, { done }) => sum + done, 0),
    },
    {
      name: "payloads in the stored results",
      expected: runs,
      found: results.filter(({ payload }) => payload === PAYLOAD).length,
    },
    ...(shape.kind === "fan" ? [{ name: "joins", expected: 1, found: joins }] : []),
  ];
}
