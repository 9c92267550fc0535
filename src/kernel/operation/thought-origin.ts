/** What a new thought was drawn from, as callers name it: they must see it themselves. */

import { z } from "zod";
import { getConversation } from "../store/conversations.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import { getMessage } from "../store/messages.ts";
import { SOURCE_TYPES } from "../store/noun-tables.ts";
import { resolveId } from "../store/resolve-id.ts";
import type { NewThoughtSource } from "../store/thought-source.ts";
import type { Caller } from "./caller.ts";
import { requireRightOn } from "./project-rights.ts";
import { resolveOptional } from "./resolve-names.ts";

export const sourceInput = z
  .strictObject({
    type: z.enum(["highlight", "message", "conversation", "run"]),
    id: z.string().min(1).max(100),
    quote: z.string().max(20_000).optional(),
  })
  .describe("What it was drawn from: {type, id, quote}.");

export const sourceShape = z.object({
  type: z.enum(SOURCE_TYPES),
  id: z.string(),
  quote: z.string().optional(),
});

export function* resolveSource(
  source: z.output<typeof sourceInput> | undefined,
  caller: Caller,
): DatabaseWork<NewThoughtSource | undefined> {
  if (source === undefined) return undefined;
  return { ...source, id: yield* resolveId(source.type, source.id, caller) };
}

/** The conversation or message a thought stands in. */
export const whereFields = {
  conversation: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("The conversation it comes from; a message brings its own."),
  message: z.string().min(1).max(100).optional().describe("The message it comes from."),
};

/** Writing into a conversation of others needs the right there, unless a project is named. */
export function* resolvePlace(
  given: {
    readonly conversation?: string | undefined;
    readonly message?: string | undefined;
    readonly projectId: string | undefined;
  },
  caller: Caller,
): DatabaseWork<{ conversationId: string | undefined; messageId: string | undefined }> {
  const conversationId = yield* resolveOptional(given.conversation, (text) =>
    resolveId("conversation", text, caller),
  );
  const messageId = yield* resolveOptional(given.message, (text) =>
    resolveId("message", text, caller),
  );
  const place =
    messageId === undefined
      ? conversationId
      : (yield* getMessage(messageId, caller)).conversationId;
  if (given.projectId === undefined && place !== undefined) {
    const { createdBy } = yield* getConversation(place, caller);
    yield* requireRightOn(caller, { conversationId: place, createdBy }, "edit");
  }
  return { conversationId, messageId };
}
