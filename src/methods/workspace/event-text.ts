/** What an event tells, in a few words: what was set, what it was before, without hashes. */

import { isId } from "../../kernel/base/ids.ts";
import type { Json } from "../../kernel/base/json.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";

export function eventText(data: Json | undefined): string {
  if (data === undefined) return "(pruned)";
  if (!isObject(data)) return JSON.stringify(data);
  const { id, hash: _, set, was, because, ...rest } = data;
  const before = isObject(was) ? was : {};
  const changes = isObject(set)
    ? Object.entries(set)
        .filter(([name]) => !UNTOLD.has(name) && !name.endsWith("At"))
        .map(([name, value]) => changeText(name, value, before[name]))
    : [];
  return [
    ...(typeof id === "string" ? [shortId(id)] : []),
    ...changes,
    ...Object.entries(rest)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name} ${valueText(value)}`),
    ...(typeof because === "string" ? [`because ${because}`] : []),
  ].join(", ");
}

/** Every change has these. */
const UNTOLD: ReadonlySet<string> = new Set([
  "id",
  "version",
  "createdBy",
  "hasBlocker",
  "hasOpenLoop",
  "isPressing",
]);

function changeText(name: string, value: Json, before: Json | undefined): string {
  const was = before === undefined || before === null ? "" : ` (was ${valueText(before)})`;
  return `${name} ${valueText(value)}${was}`;
}

function valueText(value: Json | undefined): string {
  if (typeof value === "string") return isId(value) ? shortId(value) : value;
  if (isObject(value) && typeof value["characters"] === "number")
    return `of ${value["characters"]} characters`;
  return JSON.stringify(value);
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
