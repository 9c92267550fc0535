/** A week, played in a thread of its own. */

import { once } from "node:events";
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { PlayedWeek, WeekOptions } from "./week.ts";

export type ToldWeek = { readonly played: PlayedWeek } | { readonly broken: string };

export async function playWeekInThread(seed: string, options: WeekOptions): Promise<PlayedWeek> {
  const thread = new Worker(path.join(import.meta.dirname, "week-thread.ts"), {
    workerData: { seed, ...options },
    resourceLimits: { maxYoungGenerationSizeMb: 96 },
  });
  try {
    const [told] = (await once(thread, "message")) as [ToldWeek];
    if ("broken" in told) throw new Error(`The week "${seed}" breaks a promise: ${told.broken}`);
    return told.played;
  } finally {
    await thread.terminate();
  }
}
