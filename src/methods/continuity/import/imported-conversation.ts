/** What every format is read into: conversations as threads of messages, each with its identity at the source. */

import type { JsonObject } from "../../../kernel/base/json.ts";
import type { MessageRole } from "../../../kernel/store/noun-tables.ts";

export const SOURCES = ["chatgpt", "claude", "claude-code", "codex", "jsonl", "markdown"] as const;
export type Source = (typeof SOURCES)[number];

/** Raise it when the same bytes are read differently than before: known files are then looked at again. */
export const READER_VERSION = 1;

/** What is said of messages that are not shown at the source any more. */
export const LEFT_BRANCH = "message on a branch that was left";

export interface ImportedMessage {
  /** Unique in its conversation and the same in every export of it. */
  readonly id: string;
  /** What people and models said; `tool` is traffic with tools, `other` is thinking that was not said. */
  readonly role: MessageRole;
  readonly content: string;
  readonly at?: number | undefined;
}

/** Messages in the order they were said. A conversation is stored as one thread; branches become their own. */
export interface ImportedThread {
  /** The message it follows; absent where a conversation begins. */
  readonly after?: string | undefined;
  readonly messages: readonly ImportedMessage[];
}

export interface ImportedConversation {
  readonly source: Source;
  readonly id: string;
  readonly title: string;
  readonly startedAt: number | undefined;
  readonly details: JsonObject;
  /** The visible one first. */
  readonly threads: readonly ImportedThread[];
  /** Kept when all of it is stored, so that the same bytes need not be read again. Absent while parts are to come. */
  readonly digest?: string | undefined;
}
