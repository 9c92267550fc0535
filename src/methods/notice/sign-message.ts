/** Signing as Standard Webhooks has it: `id.timestamp.body` under a secret that is worked out, not kept. */

import { createHmac } from "node:crypto";

/** The key of this workspace, which lies outside of the store. */
export type FindKey = () => Promise<Uint8Array>;

export function noticeSecret(key: Uint8Array, noticeId: string, version: number): string {
  const name = `notice secret ${noticeId} ${version}`;
  return `whsec_${createHmac("sha256", key).update(name).digest("base64")}`;
}

export interface SignedHeaders {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

export function signMessage(
  secret: string,
  { id, body, at }: { readonly id: string; readonly body: string; readonly at: number },
): SignedHeaders {
  const seconds = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`,
  };
}
