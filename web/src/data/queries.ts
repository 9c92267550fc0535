/** The page's one cache, tied to the page's one stream of events. */

import { createLiveEvents } from "../api/live-events.ts";
import { createQueryCache, spoilByEvents } from "./query-cache.ts";

export const live = createLiveEvents();
export const queries = createQueryCache();

live.subscribe({
  onEvents: (events) => spoilByEvents(queries, events),
  onGap: () => queries.spoil(() => true),
});

if (typeof document !== "undefined") {
  // What grew old while nobody looked was only marked; events still come in, so that is all there is to do.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) queries.catchUp();
  });
}
