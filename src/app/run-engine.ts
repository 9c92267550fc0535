/** Runs the engine of a workspace: in this process, or in a thread of its own so that a busy engine keeps nobody waiting. */

import { once } from "node:events";
import { hostname } from "node:os";
import path from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";
import type { Perform } from "../kernel/operation/invoke.ts";
import type { Kernel } from "../kernel/operation/kernel.ts";
import { DEFAULT_LEASE_MS, type Engine, startEngine } from "../kernel/run/engine.ts";
import { takeOverAll } from "../kernel/run/engine-work.ts";
import { steadyTimeOf } from "../kernel/run/steady-time.ts";
import { expireIdempotent } from "../kernel/store/idempotency.ts";
import type { Config } from "./config.ts";
import type { UpkeepOptions } from "./keep-up.ts";
import { preloadHandlers, reportTrouble } from "./open-workspace.ts";
import { callThrough } from "./thread-calls.ts";

export interface RunningEngine {
  wake(): void;
  stop(): Promise<void>;
}

/** With the workspace's lock in hand, every lease on record belongs to the dead. */
export async function runEngineHere(
  kernel: Kernel,
  config: Pick<Config, "concurrency" | "database">,
  onCommit: () => void,
): Promise<Engine> {
  await preloadHandlers();
  if (config.database === undefined) {
    await kernel.store.write(function* () {
      yield* takeOverAll(kernel.engine, kernel.clock.now());
      yield* expireIdempotent();
    });
  }
  return startEngine({
    ...kernel.engine,
    store: kernel.store,
    clock: await steadyTimeOf(kernel.store, kernel.clock, DEFAULT_LEASE_MS),
    models: kernel.models,
    worker: `${hostname()}:${process.pid}:${kernel.ids.next().slice(-8)}`,
    concurrency: config.concurrency,
    random: Math.random,
    onCommit,
    onTrouble: reportTrouble,
    onFilesWorked: async (job, answer) => {
      const { recordTurn } = await import("../methods/session/bound-runs.ts");
      const { sessionPorts } = await import("./session-ports.ts");
      await recordTurn({ kernel, ports: sessionPorts }, job, answer);
    },
  });
}

export interface EngineThread extends RunningEngine {
  /** Carries out an operation there, where the engine commits it with its own work. */
  readonly perform: Perform;
}

export async function runEngineInThread(
  folder: string,
  upkeep: UpkeepOptions,
  onCommit: () => void,
): Promise<EngineThread> {
  const extension = import.meta.filename.endsWith(".ts") ? ".ts" : ".js";
  const calls = new MessageChannel();
  const thread = new Worker(path.join(import.meta.dirname, `engine-thread${extension}`), {
    workerData: { folder, upkeep, calls: calls.port2 },
    transferList: [calls.port2],
    // Twice of what the server's own thread has: everything a turn makes is young.
    resourceLimits: { maxYoungGenerationSizeMb: 48 },
  });
  const ready = once(thread, "message");
  const failed = once(thread, "error").then(([error]) => {
    throw error;
  });
  await Promise.race([ready, failed]);
  failed.catch((error) => {
    // Without its engine the server would accept work that nobody does; leases are taken over at the next start.
    reportTrouble(error);
    process.exit(1);
  });
  thread.on("message", (message) => {
    if (message === "committed") onCommit();
  });
  return {
    perform: callThrough(calls.port1),
    wake: () => thread.postMessage("wake"),
    stop: async () => {
      const exited = once(thread, "exit");
      thread.postMessage("stop");
      await exited;
      calls.port1.close();
    },
  };
}
