/** How operations write: one transaction, by whom and when, and followers of the log are told. */

import type { Act } from "../store/audited-rows.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import type { OperationContext } from "./operation.ts";

export async function change<Result>(
  { kernel, caller }: Pick<OperationContext, "kernel" | "caller">,
  work: (act: Act) => DatabaseWork<Result>,
  because?: string,
): Promise<Result> {
  const act: Act = { actor: caller.userId, now: kernel.clock.now(), because };
  const result = await kernel.store.write(() => work(act));
  kernel.changes.notify();
  return result;
}

class Rehearsed extends Error {}

/** Does it all and takes it back: what would stand in the way throws as it would in earnest. */
export async function rehearse(
  { kernel, caller }: Pick<OperationContext, "kernel" | "caller">,
  work: (act: Act) => DatabaseWork<unknown>,
): Promise<void> {
  const act: Act = { actor: caller.userId, now: kernel.clock.now() };
  try {
    await kernel.store.write(function* () {
      yield* work(act);
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
}
