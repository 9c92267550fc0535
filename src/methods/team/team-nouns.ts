/** What teams add to the program. Nothing is loaded before it is asked for. */

import type { IndexedNoun } from "../../kernel/operation/noun-index.ts";

export const TEAM_NOUNS: readonly IndexedNoun[] = [
  {
    name: "team",
    summary: "A chair, operatives, a watchdog and an envoy at work on one mission.",
    group: "Work",
    load: async () => [
      ...(await import("./operations/team-read-operations.ts")).teamReadOperations,
      ...(await import("./operations/team-run-operations.ts")).teamRunOperations,
      ...(await import("./operations/team-person-operations.ts")).teamPersonOperations,
    ],
  },
];
