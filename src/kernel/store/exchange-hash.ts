/** What an exchange's prompt hash covers: exactly what was sent. */

import { hashText } from "../base/hash.ts";

export function promptHash(
  messages: readonly { readonly role: string; readonly text: string }[],
): string {
  return hashText(messages.map(({ role, text }) => `${role}\n${text}`).join("\n\u0000\n"));
}

/** A message as an exchange row keeps it: in place, or by the hash under which it is shared. */
export type StoredMessage =
  | { readonly role: string; readonly text: string }
  | { readonly role: string; readonly shared: string };
