/**
 * What changed between two envelopes, part by part: things with an id are held against the thing of the same id, so
 * that a longer list does not make everything after it look new.
 */

import { diffLines } from "../../../kernel/prompt/diff-lines.ts";

export interface ChangedLine {
  readonly change: "same" | "removed" | "added";
  readonly text: string;
}

/** Only parts that differ; each begins with a line that names it. */
export function diffEnvelopes(older: unknown, newer: unknown): readonly ChangedLine[] {
  const before = partsOf(older);
  const now = partsOf(newer);
  const names = [...now.keys(), ...[...before.keys()].filter((name) => !now.has(name))];
  return names.flatMap((name): ChangedLine[] => {
    const [was, is] = [before.get(name), now.get(name)];
    if (was === is) return [];
    const heading: ChangedLine = { change: "same", text: name };
    if (was === undefined) return [heading, ...linesOf(is ?? "", "added")];
    if (is === undefined) return [heading, ...linesOf(was, "removed")];
    const changed = diffLines(was, is).filter(({ change }) => change !== "same");
    return [heading, ...changed.map(({ change, text }) => ({ change, text }))];
  });
}

function linesOf(text: string, change: ChangedLine["change"]): ChangedLine[] {
  return text.split("\n").map((line) => ({ change, text: line }));
}

const MOST_DEPTH = 3;

/** `payload.products.p3` → its text. */
function partsOf(value: unknown): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  collect("", value, 0);
  return parts;

  function collect(path: string, each: unknown, depth: number): void {
    const members = depth < MOST_DEPTH ? membersOf(each) : undefined;
    if (members === undefined) parts.set(path, textOf(each));
    else
      for (const [name, inner] of members)
        collect(path === "" ? name : `${path}.${name}`, inner, depth + 1);
  }
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return Object.entries(value);
  const named = value.map((item: unknown) => [idOf(item), item] as const);
  return named.length > 0 && named.every(([id]) => id !== undefined)
    ? named.map(([id, item]) => [id ?? "", item] as const)
    : undefined;
}

function idOf(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { id, productId } = item as Readonly<Record<string, unknown>>;
  const found = id ?? productId;
  return typeof found === "string" ? found : undefined;
}

/** Texts are shown in their own lines, without the marks of JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}
