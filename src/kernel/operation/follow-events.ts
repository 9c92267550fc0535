/**
 * The event log as it grows, page by page. Nothing is read before it is asked for, so a slow reader
 * costs one page of memory and misses nothing; a page without events is a sign of life.
 */

import type { Clock } from "../base/clock.ts";
import { type Event, latestCursor, readEvents } from "../store/events.ts";
import type { Store } from "../store/store.ts";
import type { ChangeFeed } from "./change-feed.ts";

export interface EventSelection {
  /** Undefined begins with what happens from now on. */
  readonly after?: string | undefined;
  /** Run ids, project ids or `workspace`. */
  readonly streams?: readonly string[] | undefined;
  /** The nouns of the event types, e.g. `run`. */
  readonly topics?: readonly string[] | undefined;
}

export interface EventPage {
  readonly events: readonly Event[];
  /** Resume after it; it moves on over events that were not selected, too. */
  readonly cursor: string;
}

export interface FollowOptions extends EventSelection {
  readonly store: Store;
  readonly clock: Clock;
  readonly changes: ChangeFeed;
  readonly signal: AbortSignal;
  /** Gives what the reader may see now; asked before each page. Throwing ends the reading. */
  readonly sight: () => Promise<(event: Event) => boolean>;
  /** At the latest after this time a page comes, if need be an empty one. */
  readonly idleMs: number;
}

const PAGE_EVENTS = 200;

export async function* followEvents(options: FollowOptions): AsyncGenerator<EventPage, void> {
  const { store, clock, changes, signal, streams, sight } = options;
  const doorbell = createDoorbell(options);
  const unsubscribe = changes.subscribe(() => doorbell.ring());
  try {
    let cursor = options.after ?? (await store.read(() => latestCursor(store.dialect)));
    while (!signal.aborted) {
      const after = cursor;
      const canSee = await sight();
      const page = await store.read(() =>
        readEvents(store.dialect, { after, streams, limit: PAGE_EVENTS }),
      );
      cursor = page.at(-1)?.cursor ?? cursor;
      const events = page.filter((event) => isSelected(options, event) && canSee(event));
      if (events.length > 0) yield { events, cursor };
      else if (page.length === 0 && !(await doorbell.wait())) yield { events, cursor };
      // Skipping over a long log of foreign events must let others have a turn.
      else if (page.length > 0) await clock.sleep(0);
    }
  } finally {
    unsubscribe();
  }
}

function isSelected({ topics }: EventSelection, { type }: Event): boolean {
  return topics === undefined || topics.includes(type.slice(0, type.indexOf(".")));
}

/** Remembers a ring that came while nobody waited; else an event could lie unread until the next. */
function createDoorbell({ clock, signal, idleMs }: FollowOptions) {
  let hasRung = false;
  let answer: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      answer?.();
    },
    /** False when the time passed without a ring. */
    async wait(): Promise<boolean> {
      if (!hasRung) {
        const stop = new AbortController();
        answer = () => stop.abort();
        await clock.sleep(idleMs, AbortSignal.any([signal, stop.signal]));
      }
      answer = undefined;
      const wasRung = hasRung;
      hasRung = false;
      return wasRung;
    },
  };
}
