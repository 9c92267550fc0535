/** What the dialectic adds to the program, by noun. Nothing is loaded before it is asked for. */

import type { IndexedNoun } from "../../kernel/operation/noun-index.ts";

export const DIALECTIC_NOUNS: readonly IndexedNoun[] = [
  {
    name: "dialectic",
    summary: "Several models propose, review, refine and plan what you ask for.",
    group: "Work",
    load: async () => (await import("./operations/dialectic-operations.ts")).dialecticOperations,
  },
];
