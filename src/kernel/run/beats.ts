/** Waiting equally long, for many at once, on one timer: far more calls begin to wait than wait to the end. */

import type { Clock } from "../base/clock.ts";

export interface Beats {
  /** Calls back once the time has passed, unless it is removed before. */
  add(onBeat: () => void): void;
  remove(onBeat: () => void): void;
}

/** Once it is over nobody is called any more. */
export function createBeats(clock: Clock, ms: number, over: AbortSignal): Beats {
  /** When each is due: whoever was added first is due first. */
  const due = new Map<() => void, number>();
  let isWaiting = false;

  async function wait(): Promise<void> {
    isWaiting = true;
    for (let [next] = due.values(); next !== undefined && !over.aborted; [next] = due.values()) {
      await clock.sleep(Math.max(0, next - clock.elapsed()), over);
      if (over.aborted) break;
      for (const [onBeat, at] of due) {
        if (at > clock.elapsed()) break;
        due.delete(onBeat);
        onBeat();
      }
    }
    isWaiting = false;
  }

  return {
    add(onBeat) {
      due.set(onBeat, clock.elapsed() + ms);
      if (!isWaiting) void wait();
    },
    remove: (onBeat) => void due.delete(onBeat),
  };
}
