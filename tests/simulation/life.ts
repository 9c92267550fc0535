/** The life of a simulated process: it runs, is frozen for a while, or is dead, and then nothing of it ever goes on. */

import type { Clock } from "../../src/kernel/base/clock.ts";

export interface Life {
  readonly isDead: boolean;
  readonly isFrozen: boolean;
  /** Resolves while it runs; when it is thawed; never once it is dead. */
  whenRunning(): Promise<void>;
  kill(): void;
  freeze(): void;
  thaw(): void;
}

export function beginLife(): Life {
  let isDead = false;
  let thawed: PromiseWithResolvers<void> | undefined;
  return {
    get isDead() {
      return isDead;
    },
    get isFrozen() {
      return thawed !== undefined;
    },
    async whenRunning() {
      while (thawed && !isDead) await thawed.promise;
      if (isDead) await new Promise<never>(() => undefined);
    },
    kill() {
      isDead = true;
    },
    freeze() {
      thawed ??= Promise.withResolvers();
    },
    thaw() {
      thawed?.resolve();
      thawed = undefined;
    },
  };
}

/** Time as it is seen by a process that may not be running when its moment comes. */
export function clockOf(clock: Clock, life: Life): Clock {
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    sleep: async (ms, signal) => {
      await clock.sleep(ms, signal);
      await life.whenRunning();
    },
  };
}
