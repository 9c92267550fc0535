import type { IndexedNoun } from "../../../kernel/operation/noun-index.ts";

export const IMPORT_NOUNS: readonly IndexedNoun[] = [
  {
    name: "import",
    summary: "Conversations held elsewhere, brought in.",
    group: "Think",
    load: async () => (await import("./import-operations.ts")).importOperations,
  },
];
