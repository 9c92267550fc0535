/** How often a schedule has fired, beside how often it should have: each of its times once, or made up for by another. */

import type { Store } from "../../src/kernel/store/store.ts";
import { nextDue, parseCron } from "../../src/methods/pipeline/starters/cron.ts";
import { rowsOf } from "../scratch/engine-audit.ts";

export interface ScheduledTimes {
  readonly id: string;
  readonly cron: string;
  readonly timeZone: string;
  /** Times after this are asked for. */
  readonly since: number;
}

export interface Fired {
  readonly dueAt: number;
  /** Times after it that this one run made up for. */
  readonly missed: number;
}

export interface StrayTimes {
  readonly doubled: readonly number[];
  readonly forgotten: readonly number[];
  /** That were none of its times. */
  readonly strange: readonly number[];
}

/** What the log still tells; its words are let go of after a day. */
export async function firedOf(store: Store, id: string, since = 0): Promise<readonly Fired[]> {
  const events = await rowsOf<{ data: string }>(
    store,
    "select data from event where type = 'schedule.started' and data is not null and at > ? order by id",
    [since],
  );
  return events
    .map(({ data }) => JSON.parse(data) as Fired & { readonly id: string })
    .filter((each) => each.id === id);
}

export function strayTimes(
  { cron, timeZone, since }: ScheduledTimes,
  fired: readonly Fired[],
  until: number,
): StrayTimes {
  const times = parseCron(cron);
  const next = (moment: number) => nextDue(times, timeZone, moment) ?? Number.POSITIVE_INFINITY;
  const wanted = new Set<number>();
  for (let moment = next(since); moment <= until; moment = next(moment)) wanted.add(moment);
  const counted = fired.flatMap(({ dueAt, missed }) => {
    const covered = [dueAt];
    while (covered.length <= missed) covered.push(next(covered.at(-1) ?? dueAt));
    return covered;
  });
  const seen = new Set<number>();
  const doubled = counted.filter((moment) => seen.has(moment) || !seen.add(moment));
  return {
    doubled,
    forgotten: [...wanted].filter((moment) => !seen.has(moment)),
    strange: counted.filter((moment) => !wanted.has(moment)),
  };
}
