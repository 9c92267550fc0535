/** What the pipeline adds to the program, by noun. Nothing is loaded before it is asked for. */

import type { IndexedNoun, NounAddition } from "../../kernel/operation/noun-index.ts";

export const PIPELINE_NOUNS: readonly IndexedNoun[] = [
  {
    name: "workflow",
    summary: "Steps for agents and people, drawn as a diagram.",
    group: "Work",
    load: async () => [
      ...(await import("./catalogue/workflow-operations.ts")).workflowOperations,
      ...(await import("./running/start-operations.ts")).startOperations,
    ],
  },
  {
    name: "step",
    summary: "Where a run of a workflow stands, and what people do about it.",
    group: "Work",
    load: async () => (await import("./running/step-operations.ts")).stepOperations,
  },
  {
    name: "schedule",
    summary: "Workflows that start at set times.",
    group: "Work",
    load: async () => (await import("./starters/schedule-operations.ts")).scheduleOperations,
  },
];

/** `findKey` gives what secrets are made with, where one is needed. */
export function webhookNoun(findKey: () => Promise<Uint8Array>): IndexedNoun {
  return {
    name: "webhook",
    summary: "Workflows that signed messages from outside start.",
    group: "Work",
    load: async () => (await import("./starters/webhook-operations.ts")).webhookOperations(findKey),
  };
}

export const PIPELINE_ADDITIONS: readonly NounAddition[] = [
  {
    name: "task",
    load: async () => (await import("./agents/task-run-operation.ts")).taskRunOperations,
  },
];
