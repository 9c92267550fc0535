/** What a running server does beside serving: the search index follows changes, and stale uploads go. */

import { removeStaleUploads } from "../kernel/operation/uploads.ts";
import { refreshSearch } from "../kernel/store/search-index.ts";
import { reportTrouble, type Workspace } from "./open-workspace.ts";

const SEARCH_MS = 1000;
const SEARCH_BUDGET_MS = 50;
const UPLOADS_MS = 3_600_000;

export function keepUp({ kernel }: Workspace): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const every = async (pauseMs: number, action: () => Promise<unknown>) => {
    while (!stopping.signal.aborted) {
      await action().catch(reportTrouble);
      await kernel.clock.sleep(pauseMs, stopping.signal);
    }
  };
  const going = Promise.all([
    every(SEARCH_MS, () =>
      refreshSearch(kernel.store, { clock: kernel.clock, budgetMs: SEARCH_BUDGET_MS }),
    ),
    every(UPLOADS_MS, () => removeStaleUploads(kernel)),
  ]);
  return {
    stop: async () => {
      stopping.abort();
      await going;
    },
  };
}
