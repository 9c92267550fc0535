/**
 * The thread that writes: the engine, and every operation that changes something, so that neither a commit nor a
 * wait for the lock keeps a reader of the server waiting, and all of them share commits instead of competing for them.
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { invoke } from "../kernel/operation/invoke.ts";
import { registryByNoun } from "../kernel/operation/registry-by-noun.ts";
import { keepUp, type UpkeepOptions } from "./keep-up.ts";
import { listNouns } from "./methods.ts";
import { openWorkspace } from "./open-workspace.ts";
import { runEngineHere } from "./run-engine.ts";
import { answerThrough } from "./thread-calls.ts";

const {
  folder,
  calls,
  upkeep: kept,
} = workerData as {
  readonly folder: string;
  readonly calls: MessagePort;
  readonly upkeep: UpkeepOptions;
};

/** Told at most once a turn of the event loop, however many commits there were. */
let isTelling = false;
const tellServer = () => {
  if (isTelling) return;
  isTelling = true;
  setImmediate(() => {
    isTelling = false;
    parentPort?.postMessage("committed");
  });
};

const workspace = await openWorkspace(folder, { onChange: tellServer });
const { kernel, config, changes } = workspace;
kernel.store.prepareForManyWrites?.();
const loadRegistry = registryByNoun(listNouns(() => folder));
const engine = await runEngineHere(kernel, config, () => changes.notify());
workspace.onWake(() => engine.wake());
const upkeep = keepUp(workspace, kept);

parentPort?.on("message", (message) => {
  if (message === "wake") engine.wake();
  if (message === "check") void engine.checkLeases();
  if (message === "stop") void stop();
});
answerThrough(calls, async (name, caller, input, options) =>
  invoke(kernel, await loadRegistry(name), name, caller, input, options),
);
parentPort?.postMessage("ready");

async function stop(): Promise<void> {
  await upkeep.stop();
  await engine.stop();
  await workspace.close();
  calls.close();
  parentPort?.close();
}
