/**
 * Whether what came in was sent by somebody who has the secret. Two ways of signing are known:
 *
 * - Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64>` over `id.timestamp.body`,
 *   at most five minutes old. The same id is the same delivery.
 * - GitHub: `x-hub-signature-256: sha256=<hex>` over the body alone. Neither its id nor its time is signed, so the same
 *   body is the same delivery for ever, whatever else is said about it.
 */

import { createHmac, timingSafeEqual } from "node:crypto";

export interface SignedMessage {
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
}

export interface Proof {
  /** The same for every repetition. */
  readonly deliveryId: string;
  /** What GitHub says it is about. */
  readonly event?: string;
}

const WINDOW_SECONDS = 5 * 60;
const PREFIX = "whsec_";

export function secretText(key: Uint8Array): string {
  return PREFIX + Buffer.from(key).toString("base64");
}

/** Undefined unless one of the secrets has signed it. */
export function proveDelivery(
  message: SignedMessage,
  secrets: readonly string[],
  now: number,
): Proof | undefined {
  return message.header("webhook-signature") === undefined
    ? proveGitHub(message, secrets)
    : proveStandard(message, secrets, now);
}

function proveStandard(
  { header, body }: SignedMessage,
  secrets: readonly string[],
  now: number,
): Proof | undefined {
  const [id = "", sentAt = ""] = [header("webhook-id"), header("webhook-timestamp")];
  // A full stop in the id could make two different deliveries read the same.
  if (!/^[\w:-]{1,200}$/.test(id) || !/^\d{1,12}$/.test(sentAt)) return undefined;
  if (Math.abs(now / 1000 - Number(sentAt)) > WINDOW_SECONDS) return undefined;
  const given = (header("webhook-signature") ?? "")
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .slice(0, MOST_SIGNATURES)
    .map((part) => Buffer.from(part.slice("v1,".length), "base64"));
  const isSigned = secrets.some((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    const wanted = createHmac("sha256", key).update(`${id}.${sentAt}.`).update(body).digest();
    return given.some((signature) => isSame(signature, wanted));
  });
  return isSigned ? { deliveryId: id } : undefined;
}

/** Senders may sign with an old and a new secret; nobody has more. */
const MOST_SIGNATURES = 5;

function proveGitHub(
  { header, body }: SignedMessage,
  secrets: readonly string[],
): Proof | undefined {
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(header("x-hub-signature-256") ?? "") ?? [];
  if (hex === undefined) return undefined;
  const given = Buffer.from(hex, "hex");
  const isSigned = secrets.some((secret) =>
    isSame(given, createHmac("sha256", secret).update(body).digest()),
  );
  if (!isSigned) return undefined;
  const event = /^[a-z_]{1,60}$/.exec(header("x-github-event") ?? "")?.[0];
  return { deliveryId: `github-${hex}`, ...(event === undefined ? {} : { event }) };
}

function isSame(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
