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

export function faultyStore(
  store: Store,
  { life, faults, dice, time }: { life: Life; faults: Faults; dice: Dice; time: SimulatedTime },
): Store {
  const throwDice = (): StoreFault | undefined =>
    faults.oneIn > 0 && dice.below(faults.oneIn) === 0 ? dice.pick(STORE_FAULTS) : undefined;

  return {
    ...store,
    async read(work) {
      await life.whenRunning();
      time.stir();
      const result = await store.read(work);
      await life.whenRunning();
      time.stir();
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
      const breaks = isInside
        ? { after: dice.below(24), error: away("store_disk_full") }
        : undefined;
      let result: Awaited<ReturnType<typeof store.write>>;
      try {
        result = await store.write(() => (breaks ? brokenOff(work(), breaks) : work()));
      } catch (error) {
        if (error === breaks?.error && fault) {
          count(faults, fault);
          if (fault === "killed inside a transaction") life.kill();
        }
        await life.whenRunning();
        throw error;
      } finally {
        time.stir();
      }
      if (fault === "killed after a commit") {
        count(faults, fault);
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

function away(code: string): ProductError {
  return new ProductError(code, "The simulated database does not answer.", { kind: "unavailable" });
}

function* brokenOff<Result>(
  work: DatabaseWork<Result>,
  { after, error }: { readonly after: number; readonly error: Error },
): DatabaseWork<Result> {
  let step = work.next();
  for (let statements = 0; !step.done; statements += 1) {
    if (statements === after) throw error;
    try {
      step = work.next(yield step.value);
    } catch (thrown) {
      step = work.throw(thrown);
    }
  }
  return step.value;
}
