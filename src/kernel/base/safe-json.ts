/**
 * JSON from outside. Bounded in size, depth and number of values; keys that name prototypes, keys
 * written twice (of which `JSON.parse` silently keeps the last) and numbers beyond all range are
 * refused. Every refusal points at line and column.
 *
 * `JSON.parse` reads; the careful scan runs only when something is wrong, to say where.
 */

import { ProductError } from "./errors.ts";
import type { Json } from "./json.ts";
import { findJsonFault, type JsonShapeLimits } from "./json-fault.ts";
import { isReservedName } from "./json-path.ts";
import { errorAt } from "./text-position.ts";

export interface JsonLimits extends JsonShapeLimits {
  /** Of the text as UTF-8. */
  readonly maxBytes: number;
}

export const JSON_LIMITS: JsonLimits = {
  maxDepth: 64,
  maxNodes: 100_000,
  maxBytes: 2 * 1024 * 1024,
};

export function parseJson(text: string, limits: Partial<JsonLimits> = {}): Json {
  const bounds = { ...JSON_LIMITS, ...limits };
  if (text.length > bounds.maxBytes || Buffer.byteLength(text) > bounds.maxBytes) {
    throw tooLarge(text, bounds.maxBytes);
  }
  const parsed = tryParse(text);
  if ("value" in parsed && isSafe(text, parsed.value, bounds)) return parsed.value;
  const fault = findJsonFault(text, bounds);
  if (fault !== undefined) throw errorAt(text, fault);
  throw new ProductError("json_invalid", "The text is not valid JSON.", {
    cause: "error" in parsed ? parsed.error : undefined,
  });
}

function tryParse(text: string): { readonly value: Json } | { readonly error: unknown } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error };
  }
}

/** Walks without recursion, since the depth is what is being checked. */
function isSafe(text: string, root: Json, limits: JsonShapeLimits): boolean {
  let level: readonly Json[] = [root];
  let nodes = 0;
  let members = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    nodes += level.length;
    if (nodes > limits.maxNodes) return false;
    const below: Json[] = [];
    for (const value of level) {
      if (typeof value === "number" && !Number.isFinite(value)) return false;
      if (typeof value !== "object" || value === null) continue;
      if (depth === limits.maxDepth) return false;
      if (Array.isArray(value)) {
        for (const item of value) below.push(item);
        continue;
      }
      for (const [key, member] of Object.entries(value)) {
        if (isReservedName(key)) return false;
        members += 1;
        below.push(member);
      }
    }
    level = below;
  }
  // A key written twice leaves fewer members in the value than colons in the text.
  return members === countColons(text);
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/** Colons outside strings; the text is known to be valid. */
function countColons(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === COLON) count += 1;
    if (unit !== QUOTE) continue;
    for (at += 1; text.charCodeAt(at) !== QUOTE; at += 1) {
      if (text.charCodeAt(at) === BACKSLASH) at += 1;
    }
  }
  return count;
}

function tooLarge(text: string, maxBytes: number): ProductError {
  const bytes = Buffer.byteLength(text);
  return new ProductError(
    "json_too_large",
    `The JSON has ${bytes} bytes; at most ${maxBytes} are read.`,
    { kind: "limit", hint: "Split it, or send only what is needed.", details: { bytes, maxBytes } },
  );
}
