/**
 * The secrets of webhooks are worked out, not kept: from a key that lies outside of the store, the webhook's id and
 * a number that grows with every new secret. Who has the database has no secret.
 */

import { createHmac } from "node:crypto";
import { hashText } from "../../../kernel/base/hash.ts";
import type { WebhookTable } from "./starter-tables.ts";
import { secretText } from "./webhook-signature.ts";

/** The key of this workspace; made when it is first asked for. */
export type FindWebhookKey = () => Promise<Uint8Array>;

export function secretOf(key: Uint8Array, webhookId: string, version: number): string {
  const name = `webhook secret ${webhookId} ${version}`;
  return secretText(createHmac("sha256", key).update(name).digest());
}

/** Enough to tell which secret is meant, and nothing to guess it from. */
export function printOf(secret: string): string {
  return hashText(secret).slice(0, 8);
}

/** Those that are good now, the newest first. */
export function secretsOf(
  key: Uint8Array,
  { id, secret_version, old_secret_until }: SecretRow,
  now: number,
): readonly string[] {
  const newest = secretOf(key, id, secret_version);
  const isOldGood = old_secret_until !== null && now < old_secret_until;
  return isOldGood ? [newest, secretOf(key, id, secret_version - 1)] : [newest];
}

type SecretRow = Pick<WebhookTable, "id" | "secret_version" | "old_secret_until">;

/** Another machine, or a restored backup, may have another key: then nothing can be believed here. */
export function isKeyOf(
  key: Uint8Array,
  { id, secret_version, secret_print }: SecretRow & Pick<WebhookTable, "secret_print">,
): boolean {
  return printOf(secretOf(key, id, secret_version)) === secret_print;
}
