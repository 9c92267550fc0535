/**
 * Tells an attempt at the answer from other JSON in a reply: an attempt has at least half of the
 * fields that the contract requires. The rule for several candidates rests on it: the last attempt
 * is the answer. An earlier one, valid or not, is an example or a draft, and is never preferred
 * because the last one failed.
 */

import { plainKey } from "./coerce.ts";
import { isPlainObject } from "./path.ts";
import { admitsType, branchesOf, resolveShape, type Shape, typesOf } from "./shape.ts";

export function resemblesShape(root: Shape, value: unknown): boolean {
  return resembles(root, value, root);
}

function resembles(given: Shape, value: unknown, root: Shape): boolean {
  const shape = resolveShape(given, root);
  const branches = branchesOf(shape);
  if (branches !== undefined) return branches.some((branch) => resembles(branch, value, root));
  const types = typesOf(shape);
  const isList = types.includes("array");
  if (Array.isArray(value)) {
    if (isList || types.length === 0) return value.length === 0 || isItem(shape, value[0], root);
    return value.length === 1 && resembles(shape, value[0], root);
  }
  if (!isPlainObject(value)) return false;
  if (isList) return typeof shape.items === "object" && resembles(shape.items, value, root);
  if (types.length > 0 && !types.includes("object")) return false;
  if (hasHalf(shape, (key) => Object.keys(value).some((own) => plainKey(own) === key))) return true;
  const [only, second] = Object.values(value);
  return (
    second === undefined &&
    isPlainObject(only) &&
    hasHalf(shape, (key) => Object.keys(only).some((own) => plainKey(own) === key))
  );
}

function isItem(list: Shape, value: unknown, root: Shape): boolean {
  const item = typeof list.items === "object" ? resolveShape(list.items, root) : {};
  return isPlainObject(value) ? resembles(item, value, root) : admitsType(item, value);
}

/** The same for text that could not be parsed: does it name the fields? */
export function mentionsShape(root: Shape, source: string): boolean {
  const shape = resolveShape(root, root);
  const item = typeof shape.items === "object" ? resolveShape(shape.items, root) : shape;
  const branches = branchesOf(item)?.map((branch) => resolveShape(branch, root)) ?? [item];
  const written = source.toLowerCase();
  return branches.some(
    (branch) => wantedKeys(branch).length > 0 && hasHalf(branch, (key) => written.includes(key)),
  );
}

function hasHalf(shape: Shape, has: (plain: string) => boolean): boolean {
  const wanted = wantedKeys(shape);
  return wanted.filter((key) => has(plainKey(key))).length >= Math.ceil(wanted.length / 2);
}

function wantedKeys(shape: Shape): readonly string[] {
  return shape.required?.length ? shape.required : Object.keys(shape.properties ?? {}).slice(0, 1);
}
