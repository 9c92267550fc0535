/** Where two values differ, path by path. */

import { isJsonObject, type Json } from "../../../kernel/base/json.ts";

export interface Difference {
  /** As a template would name it; empty for the whole. */
  readonly path: string;
  /** Undefined where there is nothing. */
  readonly values: readonly [Json | undefined, Json | undefined];
}

/** Objects and lists are gone into; what is on one side only is one difference, however large. */
export function* differencesOf(
  one: Json | undefined,
  other: Json | undefined,
  path = "",
): Generator<Difference> {
  if (one !== undefined && other !== undefined) {
    if (Array.isArray(one) && Array.isArray(other)) {
      for (let n = 0; n < Math.max(one.length, other.length); n += 1)
        yield* differencesOf(one[n], other[n], `${path}[${n}]`);
      return;
    }
    if (isJsonObject(one) && isJsonObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        yield* differencesOf(own(one, key), own(other, key), path === "" ? key : `${path}.${key}`);
      return;
    }
  }
  if (one !== other) yield { path, values: [one, other] };
}

function own(value: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
