/** What continuity adds to the program, by noun. Nothing is loaded before it is asked for. */

import type { IndexedNoun, NounAddition } from "../../kernel/operation/noun-index.ts";
import { IMPORT_NOUNS } from "./import/import-nouns.ts";

export const CONTINUITY_NOUNS: readonly IndexedNoun[] = [
  ...IMPORT_NOUNS,
  {
    name: "packet",
    summary: "A project's state as a prompt to carry to another tool.",
    group: "Think",
    load: async () => (await import("./packet/packet-operations.ts")).packetOperations,
  },
  {
    name: "harvest",
    summary: "Answers brought home: read, compared, reviewed, taken back.",
    group: "Think",
    load: async () => (await import("./harvest/harvest-operations.ts")).harvestOperations,
  },
  {
    name: "distill",
    summary:
      "Has a model propose what of a conversation a project should keep: decisions, tasks, highlights, each with its quote.",
    group: "Think",
    load: async () => (await import("./distill/distill-operations.ts")).distillOperations,
  },
  {
    name: "digest",
    summary:
      "What changed in a project since a date: decided, opened, closed, contradicted, still blocking.",
    group: "Think",
    load: async () => (await import("./digest/digest-operations.ts")).digestOperations,
  },
  {
    name: "redaction",
    summary: "What projects may not show.",
    group: "Think",
    words: {
      redact:
        "Keeps a conversation, a message or a passage out of everything a project shows; --purge also forgets it where it is kept.",
      redaction: "What projects may not show.",
    },
    load: async () => (await import("./redaction/redaction-operations.ts")).redactionOperations,
  },
];

/** What continuity does with nouns that everybody shares. */
export const CONTINUITY_ADDITIONS: readonly NounAddition[] = [
  {
    name: "highlight",
    load: async () => (await import("./conversion/convert-operation.ts")).conversionOperations,
  },
];
