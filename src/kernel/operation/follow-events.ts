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
  /** Nothing older is left to read. The first such page comes at once, also without events. */
  readonly isCurrent: boolean;
}

export interface FollowOptions extends EventSelection {
  readonly store: Store;
  readonly clock: Clock;
  readonly changes: ChangeFeed;
  readonly signal: AbortSignal;
  /** The events among these that the reader may see now. Throwing ends the reading. */
  readonly select: (events: readonly Event[]) => Promise<readonly Event[]>;
  /** At the latest after this time a page comes, if need be an empty one. */
  readonly idleMs: number;
}

const PAGE_EVENTS = 200;

export async function* followEvents(options: FollowOptions): AsyncGenerator<EventPage, void> {
  const { clock, changes, signal, select, idleMs } = options;
  const doorbell = createDoorbell(clock, signal);
  const unsubscribe = changes.subscribe(() => doorbell.ring());
  try {
    let cursor = options.after ?? (await readPage(options, undefined)).cursor;
    let quietSince = clock.elapsed();
    let isCaughtUp = false;
    while (!signal.aborted) {
      const page = await readPage(options, cursor);
      cursor = page.cursor;
      const events = await select(page.events.filter((event) => isSelected(options, event)));
      if (events.length === 0 && (isCaughtUp || !page.isLast)) {
        const leftMs = idleMs - (clock.elapsed() - quietSince);
        // Skipping over a long log of foreign events must let others have a turn.
        await doorbell.wait(page.isLast ? leftMs : 0);
        if (clock.elapsed() - quietSince < idleMs) continue;
      }
      isCaughtUp ||= page.isLast;
      yield { events, cursor, isCurrent: page.isLast };
      quietSince = clock.elapsed();
    }
  } finally {
    unsubscribe();
  }
}

/** At the end of the log the cursor moves up to it, so that a quiet stream in a busy log is not read again and again. */
async function readPage(
  { store, streams }: FollowOptions,
  after: string | undefined,
): Promise<Omit<EventPage, "isCurrent"> & { readonly isLast: boolean }> {
  return store.read(function* () {
    const events =
      after === undefined
        ? []
        : yield* readEvents(store.dialect, { after, streams, limit: PAGE_EVENTS });
    const isLast = events.length < PAGE_EVENTS;
    const cursor = isLast ? yield* latestCursor(store.dialect) : (events.at(-1)?.cursor ?? after);
    return { events, isLast, cursor: cursor ?? "0.0" };
  });
}

function isSelected({ topics }: EventSelection, { type }: Event): boolean {
  return topics === undefined || topics.includes(type.slice(0, type.indexOf(".")));
}

/** Remembers a ring that came while nobody waited; else an event could lie unread until the next. */
function createDoorbell(clock: Clock, signal: AbortSignal) {
  let hasRung = false;
  let answer: (() => void) | undefined;
  return {
    ring() {
      hasRung = true;
      answer?.();
    },
    async wait(ms: number): Promise<void> {
      if (!hasRung) {
        const stop = new AbortController();
        answer = () => stop.abort();
        await clock.sleep(Math.max(0, ms), AbortSignal.any([signal, stop.signal]));
        answer = undefined;
      }
      hasRung = false;
    },
  };
}
