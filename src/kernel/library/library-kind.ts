/** What a library file is, told by where it lies: `<method>/<kind>/…`, or `prices/…`, `schemas/…`. */

const METHOD_KINDS = {
  prompts: ".md",
  recipes: ".json",
  documents: ".json",
  domains: ".json",
  overlays: ".json",
  teams: ".json",
  workflows: ".mmd",
  intents: ".json",
  targets: ".json",
  words: ".json",
} as const;

const SHARED_KINDS = { prices: ".json", schemas: ".json" } as const;

export type LibraryKind = keyof typeof METHOD_KINDS | keyof typeof SHARED_KINDS;

/** `undefined` when the place or the ending says nothing the product knows. */
export function kindOf(path: string): LibraryKind | undefined {
  const [top = "", folder = "", ...deeper] = path.split("/");
  if (isKey(SHARED_KINDS, top)) return path.endsWith(SHARED_KINDS[top]) ? top : undefined;
  if (deeper.length === 0 || !isKey(METHOD_KINDS, folder)) return undefined;
  return path.endsWith(METHOD_KINDS[folder]) ? folder : undefined;
}

/** The method whose folder the file lies in; `undefined` for what all methods share. */
export function methodOf(path: string): string | undefined {
  const [top = "", ...deeper] = path.split("/");
  return deeper.length === 0 || isKey(SHARED_KINDS, top) ? undefined : top;
}

function isKey<Table extends object>(table: Table, key: string): key is keyof Table & string {
  return Object.hasOwn(table, key);
}
