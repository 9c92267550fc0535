/**
 * Collects the messages of conversations too long to hold, and hands them over in parts. Each part says after which
 * message it goes on, so that it finds its place.
 */

import type { ImportedMessage, ImportedThread } from "../imported-conversation.ts";

/** Characters in memory before they are handed over. */
const PART_CHARACTERS = 2_000_000;

export interface ThreadParts {
  /** `after` matters only for a thread's first message. */
  add(thread: string, messages: readonly ImportedMessage[], after?: string): void;
  readonly isFull: boolean;
  /** What was collected since, by thread; in the order in which threads began. */
  take(): ReadonlyMap<string, ImportedThread>;
}

export function createThreadParts(limit: number = PART_CHARACTERS): ThreadParts {
  const lastIds = new Map<string, string>();
  let open = new Map<string, { after: string | undefined; messages: ImportedMessage[] }>();
  let characters = 0;
  return {
    add(thread, messages, after) {
      if (messages.length === 0) return;
      const part = open.get(thread) ?? { after: lastIds.get(thread) ?? after, messages: [] };
      open.set(thread, part);
      for (const message of messages) {
        part.messages.push(message);
        characters += message.content.length + 200;
        lastIds.set(thread, message.id);
      }
    },
    get isFull() {
      return characters >= limit;
    },
    take() {
      const taken = open;
      open = new Map();
      characters = 0;
      return taken;
    },
  };
}
