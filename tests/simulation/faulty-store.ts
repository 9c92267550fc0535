/**
 * A store as one process sees it: now and then it is busy, full, breaks off in the middle or loses the answer of a
 * commit, and the process may be frozen or killed before, inside or after any transaction.
 */

import { ProductError } from "../../src/kernel/base/errors.ts";
import type { Dice } from "../../src/kernel/model/rehearsal-dice.ts";
import type { DatabaseWork } from "../../src/kernel/store/database-work.ts";
import type { Store } from "../../src/kernel/store/store.ts";
import type { Life } from "./life.ts";
import type { SimulatedTime } from "./simulated-time.ts";

export const STORE_FAULTS = [
  "busy before a transaction",
  "disk full inside a transaction",
  "answer lost after a commit",
  "killed before a transaction",
  "killed inside a transaction",
  "killed after a commit",
] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

export interface Faults {
  /** One transaction in so many goes wrong; 0 for none. */
  oneIn: number;
  /** How often each really happened. */
  readonly happened: Map<string, number>;
}

export function count(faults: Faults, what: string): void {
  faults.happened.set(what, (faults.happened.get(what) ?? 0) + 1);
}

export interface FaultySurroundings {
  readonly life: Life;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly time: SimulatedTime;
  /** The process is killed before this statement; a commit counts as one, and kills after it. */
  readonly deadline?: { statementsLeft: number };
}

export function faultyStore(
  store: Store,
  { life, faults, dice, time, deadline }: FaultySurroundings,
): Store {
  const throwDice = (): StoreFault | undefined =>
    faults.oneIn > 0 && dice.below(faults.oneIn) === 0 ? dice.pick(STORE_FAULTS) : undefined;

  return {
    ...store,
    async read(work) {
      await life.whenRunning();
      const result = await time.during(store.read(work));
      await life.whenRunning();
      return result;
    },
    async write(work) {
      await life.whenRunning();
      time.stir();
      const fault = throwDice();
      if (fault === "busy before a transaction") {
        count(faults, fault);
        throw away("store_busy");
      }
      if (fault === "killed before a transaction") {
        count(faults, fault);
        life.kill();
      }
      await life.whenRunning();
      const isInside =
        fault === "disk full inside a transaction" || fault === "killed inside a transaction";
      const breaks = isInside ? countdown(dice.below(24) + 1) : deadline && countdown(deadline);
      let result: Awaited<ReturnType<typeof store.write>>;
      try {
        result = await time.during(
          store.write(() => (breaks ? brokenOff(work(), breaks) : work())),
        );
      } catch (error) {
        if (error === breaks?.error) {
          count(faults, fault ?? "killed at a statement");
          if (fault !== "disk full inside a transaction") life.kill();
        }
        await life.whenRunning();
        throw error;
      }
      if (fault === "killed after a commit") {
        count(faults, fault);
        life.kill();
      }
      if (deadline && (deadline.statementsLeft -= 1) === 0) {
        count(faults, "killed at a commit");
        life.kill();
      }
      await life.whenRunning();
      if (fault === "answer lost after a commit") {
        count(faults, fault);
        throw away("store_outcome_unknown");
      }
      return result as never;
    },
  };
}

interface Countdown {
  readonly left: { statementsLeft: number };
  readonly error: Error;
}

function countdown(from: number | { statementsLeft: number }): Countdown {
  const left = typeof from === "number" ? { statementsLeft: from } : from;
  return { left, error: away("store_disk_full") };
}

function away(code: string): ProductError {
  return new ProductError(code, "The simulated database does not answer.", { kind: "unavailable" });
}

function* brokenOff<Result>(
  work: DatabaseWork<Result>,
  { left, error }: Countdown,
): DatabaseWork<Result> {
  let step = work.next();
  while (!step.done) {
    if ((left.statementsLeft -= 1) === 0) throw error;
    try {
      step = work.next(yield step.value);
    } catch (thrown) {
      step = work.throw(thrown);
    }
  }
  return step.value;
}
