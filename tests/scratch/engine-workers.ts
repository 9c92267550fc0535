/** Starts worker processes, hears what they tell, and kills, stops and continues them. */

import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import type { WorkerOrders } from "./engine-worker.ts";

/** Everything the workers of a test have told, over all their lives. */
export interface Told {
  readonly accepted: Set<string>;
  readonly kept: Set<string>;
  calls: number;
  readonly troubles: string[];
  /** What was said of a database that closed the connection of a frozen worker. */
  readonly away: string[];
}

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** Resolves when its engine runs, or when it is over. */
  readonly ready: Promise<void>;
  /** Resolves to how it ended: its exit code, or the signal. */
  readonly over: Promise<number | string>;
}

export function newTold(): Told {
  return { accepted: new Set(), kept: new Set(), calls: 0, troubles: [], away: [] };
}

/** `shell` is what a shell does before it becomes the worker. */
export function startWorker(
  orders: WorkerOrders,
  told: Told,
  shell?: string,
  more: Readonly<Record<string, string>> = {},
): WorkerProcess {
  const script = path.join(import.meta.dirname, "engine-worker.ts");
  const command = [process.execPath, script, JSON.stringify(orders)];
  const [program = "", ...given] =
    shell === undefined ? command : ["sh", "-c", `${shell}; exec "$@"`, "sh", ...command];
  const child = spawn(program, given, {
    env: { ...process.env, ...more },
    stdio: ["ignore", "pipe", shell === undefined ? "inherit" : "ignore"],
  });
  const over = new Promise<number | string>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? "gone"));
  });
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const space = line.indexOf(" ");
      const what = line.slice(0, space);
      const about = line.slice(space + 1);
      if (what === "ready") resolve();
      else if (what === "accepted") told.accepted.add(about);
      else if (what === "kept") told.kept.add(about);
      else if (what === "called") told.calls += 1;
      else if (what === "away") told.away.push(about);
      else if (what === "trouble") told.troubles.push(about);
    });
    void over.then(() => resolve());
  });
  return { child, ready, over };
}
