/** What the messages themselves say about a conversation that says nothing about itself. */

import { hashText } from "../../../../kernel/base/hash.ts";
import type { ImportedThread } from "../imported-conversation.ts";

export interface ThreadSummary {
  readonly startedAt: number | undefined;
  /** Of the first thing the person said, or of the first thing at all. */
  readonly firstWords: string | undefined;
}

export function summaryOf(threads: readonly ImportedThread[]): ThreadSummary {
  const said = threads.flatMap(({ messages }) => messages);
  const first = said.find(({ role }) => role === "user") ?? said[0];
  return {
    startedAt: said.find(({ at }) => at !== undefined)?.at,
    firstWords: first?.content.slice(0, 1000),
  };
}

/** For a conversation without an identity: it is the one that begins with these words. */
export function idFromBeginning(
  threads: readonly ImportedThread[],
  ...more: readonly string[]
): string {
  const first = threads[0]?.messages[0];
  return hashText([...more, first?.role ?? "", first?.content ?? ""].join("\n")).slice(0, 32);
}
