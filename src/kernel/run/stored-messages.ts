/** The messages of an exchange as they were sent: shared texts are kept once and put back in their places. */

import { type DatabaseWork, query } from "../store/database-work.ts";
import type { StoredMessage } from "../store/exchange-hash.ts";
import { db } from "../store/query-builder.ts";

export interface ReadMessage {
  readonly role: StoredMessage["role"];
  readonly text: string;
}

/** `messages` is the cell of the exchange. */
export function* readMessages(messages: string): DatabaseWork<ReadMessage[]> {
  const stored = JSON.parse(messages) as readonly StoredMessage[];
  const hashes = stored.flatMap((message) => ("shared" in message ? [message.shared] : []));
  const texts =
    hashes.length === 0
      ? []
      : yield* query(db.selectFrom("text").selectAll().where("hash", "in", hashes));
  const bodies = new Map(texts.map(({ hash, body }) => [hash, body]));
  return stored.map((message) => ({
    role: message.role,
    text:
      "shared" in message
        ? (bodies.get(message.shared) ?? `[the shared text ${message.shared} is gone]`)
        : message.text,
  }));
}
