/**
 * Wakes those who follow the event log. One look at the log serves all of them; it happens on `notify`
 * (this process wrote something) and every `pollMs` (another process did), and only while someone follows.
 */

import type { Clock } from "../base/clock.ts";
import { latestCursor } from "../store/events.ts";
import type { Store } from "../store/store.ts";

export interface ChangeFeed {
  /** Calls `listener` when there may be new events; gives the way to stop. */
  subscribe(listener: () => void): () => void;
  notify(): void;
}

const POLL_MS = 500;

export function createChangeFeed(store: Store, clock: Clock, pollMs: number = POLL_MS): ChangeFeed {
  const listeners = new Set<() => void>();
  const wakeAll = () => {
    for (const listener of listeners) listener();
  };
  let polling: AbortController | undefined;

  const poll = async (signal: AbortSignal) => {
    let known: string | undefined;
    while (!signal.aborted) {
      const latest = await findLatest(store);
      // A store that does not answer wakes them too: their own reading then says what is wrong.
      if (latest === undefined || latest !== known) wakeAll();
      known = latest;
      await clock.sleep(pollMs, signal);
    }
  };

  return {
    notify: wakeAll,
    subscribe(listener) {
      // Each subscription counts, also of a function already subscribed.
      const entry = () => listener();
      listeners.add(entry);
      if (polling === undefined) {
        polling = new AbortController();
        void poll(polling.signal);
      }
      return () => {
        listeners.delete(entry);
        if (listeners.size > 0) return;
        polling?.abort();
        polling = undefined;
      };
    },
  };
}

async function findLatest(store: Store): Promise<string | undefined> {
  try {
    return await store.read(() => latestCursor(store.dialect));
  } catch {
    return undefined;
  }
}
