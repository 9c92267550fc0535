/** Content hashes: SHA-256 as lower-case hex, over text or over the canonical form of a JSON value. */

import { hash } from "node:crypto";
import { canonicalJson } from "./json.ts";

export function hashText(text: string): string {
  return hash("sha256", text, "hex");
}

export function hashJson(value: unknown): string {
  return hashText(canonicalJson(value));
}
