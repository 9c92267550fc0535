/**
 * The look at a parsed value before anything else touches it: bounded depth, no keys that reach
 * prototypes, and a way to tell that a key was written twice.
 *
 * JSON.parse stores `__proto__` as an ordinary member, which is harmless until someone copies the
 * value with an assignment; so such keys go here, once, before any schema or merge sees them.
 */

import { excerptOf, type Ledger } from "./ledger.ts";
import { formatPath, type Path } from "./path.ts";

export const MOST_DEPTH = 64;

export function isReservedKey(key: string): boolean {
  return key === "__proto__" || key === "constructor" || key === "prototype";
}

export interface Inspection {
  readonly tooDeep: boolean;
  readonly hasReservedKeys: boolean;
  /** Members of all objects together: fewer than in the text means that a key was written twice. */
  readonly members: number;
}

export function inspectValue(value: unknown): Inspection {
  const count = { members: 0, reserved: false };
  const tooDeep = !countWithin(value, 0, count);
  return { tooDeep, hasReservedKeys: count.reserved, members: count.members };
}

function countWithin(
  value: unknown,
  depth: number,
  count: { members: number; reserved: boolean },
): boolean {
  if (value === null || typeof value !== "object") return true;
  if (depth >= MOST_DEPTH) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!countWithin(item, depth + 1, count)) return false;
    return true;
  }
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    count.members += 1;
    if (isReservedKey(key)) count.reserved = true;
    if (!countWithin((value as Record<string, unknown>)[key], depth + 1, count)) return false;
  }
  return true;
}

/** How many members valid JSON text writes: its colons outside of strings. */
export function countWrittenMembers(json: string): number {
  let members = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 58) members += 1;
    else if (code === 34) at = endOfString(json, at);
  }
  return members;
}

/** Offset of the quote that closes the string opened at `open`; the text's end when none does. */
export function endOfString(json: string, open: number): number {
  let close = json.indexOf('"', open + 1);
  while (close !== -1) {
    let slashes = 0;
    while (json.charCodeAt(close - 1 - slashes) === 92) slashes += 1;
    if (slashes % 2 === 0) return close;
    close = json.indexOf('"', close + 1);
  }
  return json.length;
}

/** A copy without reserved keys, each one noted; call it only on values of bounded depth. */
export function withoutReservedKeys(value: unknown, ledger: Ledger, path: Path = []): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => withoutReservedKeys(item, ledger, [...path, index]));
  }
  if (value === null || typeof value !== "object") return value;
  const kept: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (isReservedKey(key)) noteReservedKey(ledger, [...path, key], inner);
    else kept[key] = withoutReservedKeys(inner, ledger, [...path, key]);
  }
  return kept;
}

export function noteReservedKey(ledger: Ledger, path: Path, value: unknown, offset?: number): void {
  ledger.add({
    step: "extract",
    path: formatPath(path),
    ...(offset === undefined ? {} : { offset }),
    before: excerptOf(value),
    after: "",
    sentence: `The key "${String(path.at(-1))}" is reserved by the language and was left out.`,
    loss: "coerced",
  });
}
