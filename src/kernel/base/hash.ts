/** Content hashes: SHA-256 as lower-case hex, over text or over the canonical form of a JSON value. */

import { hash } from "node:crypto";
import { canonicalJson } from "./json.ts";

export function hashText(text: string): string {
  return hash("sha256", text, "hex");
}

const REMEMBERED_CHARACTERS = 4_000_000;
const remembered = new Map<string, string>();
let rememberedCharacters = 0;

/** The same for texts that come again and again, such as the beginnings of prompts: a hash takes ten times as long. */
export function hashRepeated(text: string): string {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const fresh = hashText(text);
  if (rememberedCharacters + text.length > REMEMBERED_CHARACTERS) {
    remembered.clear();
    rememberedCharacters = 0;
  }
  rememberedCharacters += text.length;
  remembered.set(text, fresh);
  return fresh;
}

export function hashJson(value: unknown): string {
  return hashText(canonicalJson(value));
}
