/** Secrets that people's programs carry: 256 random bits as text. Only their hash is ever stored. */

import { timingSafeEqual } from "node:crypto";
import { hashText } from "../base/hash.ts";

export function mintSecret(random: (count: number) => Uint8Array, prefix = ""): string {
  return prefix + Buffer.from(random(32)).toString("base64url");
}

export function matchesHash(secret: string, hash: string): boolean {
  const given = Buffer.from(hashText(secret));
  const stored = Buffer.from(hash);
  return given.length === stored.length && timingSafeEqual(given, stored);
}
