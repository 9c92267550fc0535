/** Many worlds, as many at a time as the machine has processors. */

import { availableParallelism } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { Played } from "./simulation.ts";

export type Told = { readonly played: Played } | { readonly broken: string };

/** A thread takes as long to start as some worlds do. */
const WORLDS_A_THREAD = 10;

/** All are played, also when some break a promise; the error then tells of each. */
export async function playWorlds(
  seeds: readonly string[],
  onPlayed: (played: Played) => void,
): Promise<void> {
  const left = seeds.values();
  const broken: string[] = [];
  const threads = Math.min(availableParallelism(), Math.ceil(seeds.length / WORLDS_A_THREAD));
  const playInThread = async () => {
    const thread = new Worker(path.join(import.meta.dirname, "world-thread.ts"), {
      // All that a step of a world makes is young: with more room it is collected less often.
      resourceLimits: { maxYoungGenerationSizeMb: 96 },
    });
    try {
      for (const seed of left) {
        const told = await toldBy(thread, seed);
        if ("played" in told) onPlayed(told.played);
        else broken.push(told.broken);
      }
    } finally {
      await thread.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, playInThread));
  if (broken.length > 0) throw new Error(broken.join("\n\n"));
}

function toldBy(thread: Worker, seed: string): Promise<Told> {
  return new Promise((resolve, reject) => {
    const onError = (error: unknown) =>
      reject(new Error(`Seed "${seed}" ended its thread.`, { cause: error }));
    thread.once("error", onError);
    thread.once("message", (told: Told) => {
      thread.off("error", onError);
      resolve(told);
    });
    thread.postMessage(seed);
  });
}
