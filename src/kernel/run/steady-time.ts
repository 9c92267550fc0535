/**
 * Time that never goes back. What is due by a moment on the wall would wait for hours after a clock is set back: jobs,
 * timers, leases of dead workers. So the engine goes on from the latest moment it knows of, as fast as time passes,
 * until the clock on the wall has caught up.
 */

import type { Clock } from "../base/clock.ts";
import { type DatabaseWork, runSql } from "../store/database-work.ts";
import { sqlText } from "../store/sql-text.ts";
import type { Store } from "../store/store.ts";

/**
 * Never before the last events and leases of the store, which may be of a time before the clock was set back: not only
 * before the very last event, for people write theirs by the clock on the wall.
 */
export async function steadyTimeOf(store: Store, clock: Clock, leaseMs: number): Promise<Clock> {
  return steadyTime(clock, await store.read(() => latestMoment(leaseMs)));
}

export function* latestMoment(leaseMs: number): DatabaseWork<number> {
  const [latest] = yield* runSql<Latest>(LATEST_MOMENTS, []);
  return Math.max(latest?.event ?? 0, (latest?.lease ?? 0) - leaseMs);
}

interface Latest {
  readonly event: number | null;
  readonly lease: number | null;
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

const LATEST_MOMENTS = sqlText(
  `select (select max(at) from (select at from event order by id desc limit 1000) as latest) as event,
     (select max(lease_until) from job where state = 'leased') as lease`,
);
