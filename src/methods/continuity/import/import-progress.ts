/** How far an import is and what came of it so far. Plain counts, kept with the import and shown everywhere. */

import { z } from "zod";
import type { PlacedConversation } from "./place-conversations.ts";

const count = z.number().default(0);

export const importProgressSchema = z.object({
  /** Of the file as it was sent. */
  bytesRead: count,
  conversations: count.describe("Conversations met in this pass over the file."),
  unchanged: count,
  problems: count.describe("Records and files that could not be read."),
  notes: z
    .record(z.string(), z.number())
    .default({})
    .describe("What was changed or left out on the way, and how often."),
  files: z
    .array(z.object({ name: z.string(), format: z.string(), conversations: z.number() }))
    .default([])
    .describe("Files that held conversations."),
  moreFiles: count.describe("Files with conversations beyond those listed."),
  skipped: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .default([])
    .describe("Files without conversations, and why they were thought to be that."),
  moreSkipped: count.describe("Skipped files beyond those listed."),
});

export type ImportProgress = z.output<typeof importProgressSchema>;

/** What became of conversations and messages. */
export interface ImportTotals {
  readonly added: number;
  readonly extended: number;
  readonly edited: number;
  readonly messagesAdded: number;
  readonly messagesEdited: number;
}

export const NO_TOTALS: ImportTotals = {
  added: 0,
  extended: 0,
  edited: 0,
  messagesAdded: 0,
  messagesEdited: 0,
};

/** Adds up what batches do. */
export interface TotalsDraft {
  add(placed: readonly PlacedConversation[]): void;
  readonly totals: ImportTotals;
}

/** What was stored: conversations are told apart by their ids here. */
export function storedTotals(): TotalsDraft {
  const seen = new Set<string>();
  let totals = NO_TOTALS;
  const isFirst = (id: string) => seen.size < seen.add(id).size;
  return {
    add(placed) {
      let { added, extended, edited, messagesAdded, messagesEdited } = totals;
      for (const { placements, edited: changed, mainId } of placed) {
        for (const { conversationId, begins, messages } of placements) {
          messagesAdded += messages.length;
          if (!isFirst(conversationId)) continue;
          if (begins === undefined) extended += 1;
          else added += 1;
        }
        messagesEdited += changed.length;
        if (changed.length > 0 && mainId !== undefined && isFirst(mainId)) edited += 1;
      }
      totals = { added, extended, edited, messagesAdded, messagesEdited };
    },
    get totals() {
      return totals;
    },
  };
}

/**
 * What would be stored: nothing is, so what comes a second time is told by its id at the source. A conversation in
 * parts is in parts here, too, and is counted with its first.
 */
export function plannedTotals(): TotalsDraft {
  const planned = new Set<string>();
  const open = new Set<string>();
  let totals = NO_TOTALS;
  return {
    add(placed) {
      let { added, extended, edited, messagesAdded, messagesEdited } = totals;
      for (const { conversation, placements, edited: changed, isNew } of placed) {
        const key = `${conversation.source} ${conversation.id}`;
        const isPart = open.has(key);
        const isAgain = planned.has(key) && !isPart;
        if (conversation.digest === undefined) open.add(key);
        else open.delete(key);
        if (isAgain || (placements.length === 0 && changed.length === 0)) continue;
        planned.add(key);
        for (const { messages } of placements) messagesAdded += messages.length;
        messagesEdited += changed.length;
        if (isPart) continue;
        const begun = placements.filter(({ begins }) => begins !== undefined).length;
        added += begun;
        if (!isNew && placements.length > begun) extended += 1;
        else if (changed.length > 0) edited += 1;
      }
      totals = { added, extended, edited, messagesAdded, messagesEdited };
    },
    get totals() {
      return totals;
    },
  };
}
