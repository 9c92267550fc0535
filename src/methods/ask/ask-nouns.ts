import type { IndexedNoun } from "../../kernel/operation/noun-index.ts";

export const ASK_NOUNS: readonly IndexedNoun[] = [
  {
    name: "ask",
    summary: "One question, one answer, kept.",
    group: "Work",
    load: async () => (await import("./ask-operations.ts")).askOperations,
  },
];
