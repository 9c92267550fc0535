/** What an event tells, in a few words: what it names, what was set; without hashes and whole texts. */

import type { Json } from "../api/operation.ts";
import { shortId } from "../parts/format.ts";

const LONG = 80;

export function eventWords(data: Json | undefined): string {
  if (data === undefined) return "its words were pruned";
  if (!isObject(data)) return valueWords(data);
  const { hash: _, set, was: __, because, ...rest } = data;
  const changes = isObject(set) ? set : {};
  return [
    ...namedWords(rest),
    ...namedWords(changes),
    ...(typeof because === "string" ? [`because ${because}`] : []),
  ].join(", ");
}

function namedWords(values: { readonly [name: string]: Json }): readonly string[] {
  return Object.entries(values)
    .filter(([name, value]) => value !== null && name !== "version" && !name.endsWith("At"))
    .map(([name, value]) => `${name} ${valueWords(value)}`);
}

function valueWords(value: Json): string {
  const text = typeof value === "string" ? shortId(value) : JSON.stringify(value);
  return text.length > LONG ? `${text.slice(0, LONG)}…` : text;
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
