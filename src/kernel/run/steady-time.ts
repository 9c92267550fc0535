/**
 * Time that never goes back. What is due by a moment on the wall would wait for hours after a clock is set back: jobs,
 * timers, leases of dead workers. So the engine goes on from the latest moment it knows of, as fast as time passes,
 * until the clock on the wall has caught up.
 */

import type { Clock } from "../base/clock.ts";
import { runSql } from "../store/database-work.ts";
import { sqlText } from "../store/sql-text.ts";
import type { Store } from "../store/store.ts";

/** Never before the last event of the store, which may be of a time before the clock was set back. */
export async function steadyTimeOf(store: Store, clock: Clock): Promise<Clock> {
  const [latest] = await store.read(() => runSql<{ at: number }>(LATEST_EVENT, []));
  return steadyTime(clock, latest?.at ?? 0);
}

export function steadyTime(clock: Clock, notBefore: number): Clock {
  let moment = notBefore;
  let seenAt = clock.elapsed();
  return {
    ...clock,
    now() {
      const elapsed = clock.elapsed();
      moment = Math.max(clock.now(), moment + (elapsed - seenAt));
      seenAt = elapsed;
      return Math.floor(moment);
    },
  };
}

const LATEST_EVENT = sqlText("select at from event order by id desc limit 1");
