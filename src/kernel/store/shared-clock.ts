/**
 * The clock that all who share a database go by: the database's own. Were leases, timers and schedules of one machine
 * compared with the clock of another, a clock set wrong there would take away what is under way here.
 *
 * It is asked every second; in between time goes on as it passes here, whatever becomes of the clock on our own wall.
 * An embedded store has no other machine, and goes by the wall.
 */

import type { Clock } from "../base/clock.ts";
import { runSql } from "./database-work.ts";
import type { Store } from "./store.ts";

export interface SharedClock extends Clock {
  /** It is asked no more; time goes on. */
  stop(): void;
}

const ASK_MS = 1000;

export async function sharedClock(store: Store, clock: Clock): Promise<SharedClock> {
  if (store.dialect === "sqlite") return { ...clock, stop: () => undefined };
  let ahead = Number.NaN;
  const ask = async () => {
    const begun = clock.elapsed();
    const [asked] = await store.read(() => runSql<{ moment: number }>(MOMENT, []));
    const ended = clock.elapsed();
    ahead = followed(ahead, { moment: asked?.moment ?? 0, begun, ended });
  };
  const stopping = new AbortController();
  const keepAsking = async () => {
    for (;;) {
      await clock.sleep(ASK_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      // A database that is away is asked again, and whoever needs it finds out by himself.
      await ask().catch(() => undefined);
    }
  };
  await ask();
  void keepAsking();
  return {
    ...clock,
    now: () => Math.floor(ahead + clock.elapsed()),
    stop: () => stopping.abort(),
  };
}

interface Asked {
  readonly moment: number;
  readonly begun: number;
  readonly ended: number;
}

/**
 * How far the database is ahead of the time that has passed here. It said its moment somewhere between question and
 * answer; as long as that fits what was known, nothing new is known, and time does not hop to and fro.
 */
export function followed(ahead: number, { moment, begun, ended }: Asked): number {
  const [least, most] = [moment - ended, moment + 1 - begun];
  return ahead >= least && ahead <= most ? ahead : (least + most) / 2;
}

const MOMENT = {
  sqlite: "select cast(unixepoch('subsec') * 1000 as integer) as moment",
  postgres: "select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as moment",
};
