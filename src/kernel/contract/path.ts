/** Where something is inside a JSON value, as data and as text people and models can read. */

export type Path = readonly (string | number)[];

/** `items[2].title`; the empty path, the whole value, is the empty string. */
export function formatPath(path: Path): string {
  let text = "";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(segment)) text += `[${JSON.stringify(segment)}]`;
    else text += text === "" ? segment : `.${segment}`;
  }
  return text;
}

/** Follows own properties only; `undefined` where the path leads nowhere. */
export function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const segment of path) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, segment)) return undefined;
    at = (at as Record<string | number, unknown>)[segment];
  }
  return at;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
