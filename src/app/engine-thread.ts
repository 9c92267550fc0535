/** The engine's own thread: it has its own connections to the store and hears only that there is work. */

import { parentPort, workerData } from "node:worker_threads";
import { openWorkspace } from "./open-workspace.ts";
import { runEngineHere } from "./run-engine.ts";

const { folder } = workerData as { readonly folder: string };
const workspace = await openWorkspace(folder);

/** Told at most once a turn of the event loop, however many commits there were. */
let isTelling = false;
const engine = await runEngineHere(workspace.kernel, workspace.config, () => {
  if (isTelling) return;
  isTelling = true;
  setImmediate(() => {
    isTelling = false;
    parentPort?.postMessage("committed");
  });
});

parentPort?.on("message", (message) => {
  if (message === "wake") engine.wake();
  if (message === "check") void engine.checkLeases();
  if (message === "stop") void stop();
});
parentPort?.postMessage("ready");

async function stop(): Promise<void> {
  await engine.stop();
  await workspace.close();
  parentPort?.close();
}
