/** JSON kept in text columns. */

import { canonicalJson, type Json } from "../base/json.ts";

export function toJsonText(value: Json): string {
  return canonicalJson(value);
}

export function toJsonTextOrNull(value: Json | undefined): string | null {
  return value === undefined ? null : canonicalJson(value);
}
