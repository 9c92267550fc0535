/**
 * Time that passes only when nothing else can happen. Whoever sleeps is woken in order of their moments, so the same
 * world with the same dice goes the same way every time, however slow the machine.
 */

import { setImmediate as nextTick } from "node:timers/promises";
import type { Clock } from "../../src/kernel/base/clock.ts";

export interface SimulatedTime extends Clock {
  /** Says that something happened; the world is quiet only when nothing has for a while. */
  stir(): void;
  /** Nothing is quiet while this is under way, such as a question to a database in another process. */
  during<Result>(work: Promise<Result>): Promise<Result>;
  /** Resolves when everything that could happen without time passing has happened. */
  settle(): Promise<void>;
  /** Lets time pass up to the next moment somebody waits for, at most `mostMs`. */
  pass(mostMs: number): void;
  /** The clock on the wall is set forward or back; durations are not affected. */
  jump(ms: number): void;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Between two stirs of one chain of work there are at most a few turns of the event loop. */
const QUIET_TICKS = 8;

export function createSimulatedTime(start: number): SimulatedTime {
  let elapsed = 0;
  let wall = start;
  let stirs = 0;
  let underWay = 0;
  const sleepers = new Set<Sleeper>();

  const time: SimulatedTime = {
    now: () => Math.floor(wall + elapsed),
    elapsed: () => elapsed,
    stir: () => {
      stirs += 1;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        stirs += 1;
        const done = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", done);
          stirs += 1;
          resolve();
        };
        const sleeper = { until: elapsed + Math.max(0, ms), wake: done };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", done, { once: true });
      }),
    async during(work) {
      underWay += 1;
      stirs += 1;
      try {
        return await work;
      } finally {
        underWay -= 1;
        stirs += 1;
      }
    },
    async settle() {
      for (let quiet = 0, seen = -1; quiet < QUIET_TICKS; ) {
        await nextTick();
        quiet = stirs === seen && underWay === 0 ? quiet + 1 : 0;
        seen = stirs;
      }
    },
    pass(mostMs) {
      const soonest = Math.min(...[...sleepers].map(({ until }) => until));
      elapsed = Math.max(elapsed, Math.min(soonest, elapsed + mostMs));
      const due = [...sleepers].filter(({ until }) => until <= elapsed);
      for (const { wake } of due.toSorted((a, b) => a.until - b.until)) wake();
    },
    jump(ms) {
      wall += ms;
    },
  };
  return time;
}
