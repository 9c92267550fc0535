/**
 * Fits a value to a contract's shape where the meaning is beyond doubt: "87" for 87, `success` for
 * SUCCESS, [x] for x. Each change is noted. What is in doubt stays as it is and fails validation:
 * "87/100" is no number, an absent list is not an empty one, an id is never guessed.
 */

import { readChoice, readClosedId } from "./coerce-choice.ts";
import { inspectValue, withoutReservedKeys } from "./inspect.ts";
import { excerptOf, type Ledger } from "./ledger.ts";
import { formatPath, isPlainObject, type Path } from "./path.ts";
import {
  admitsType,
  branchesOf,
  choicesOf,
  jsonTypeOf,
  resolveShape,
  type Shape,
  typesOf,
} from "./shape.ts";

export function coerceToShape(root: Shape, value: unknown, ledger: Ledger): unknown {
  return fit(root, unwrapEnvelope(resolveShape(root, root), value), []);

  function fit(given: Shape, inner: unknown, path: Path): unknown {
    const shape = chooseBranch(given, inner);
    const choices = choicesOf(shape);
    if (choices !== undefined) return fitChoice(shape, choices, inner, path);
    if (admitsType(shape, inner)) return fitInside(shape, inner, path);
    const fitted = convert(shape, inner, path);
    return fitted === inner ? inner : fitInside(shape, fitted, path);
  }

  /** Decides without looking deep, so that nested unions stay linear. */
  function chooseBranch(given: Shape, inner: unknown): Shape {
    const shape = resolveShape(given, root);
    const branches = branchesOf(shape)?.map((branch) => resolveShape(branch, root));
    if (branches === undefined) return shape;
    const scored = branches
      .map((branch) => ({ branch, score: affinity(branch, inner) }))
      .toSorted((a, b) => b.score - a.score);
    const best = scored[0]?.branch ?? {};
    return branchesOf(best) === undefined ? best : chooseBranch(best, inner);
  }

  function affinity(branch: Shape, inner: unknown): number {
    if (branchesOf(branch) !== undefined) return 1;
    if (!admitsType(branch, inner)) return typesOf(branch).includes("null") ? -2 : -1;
    if (choicesOf(branch)?.includes(inner as string)) return 4;
    if (!isPlainObject(inner)) return choicesOf(branch) === undefined ? 2 : 1;
    const properties = Object.entries(branch.properties ?? {});
    const tags = properties.filter(([, shape]) => shape.const !== undefined);
    if (tags.some(([key, shape]) => inner[key] !== shape.const)) return 0;
    const known = properties.filter(([key]) => Object.hasOwn(inner, key)).length;
    return 2 + known / (properties.length + 1) + tags.length;
  }

  function fitChoice(
    shape: Shape,
    choices: readonly (string | number | boolean)[],
    inner: unknown,
    path: Path,
  ): unknown {
    if (typeof inner !== "string" || choices.includes(inner)) return inner;
    const read =
      shape.idsOf === undefined ? readChoice(inner, choices) : readClosedId(inner, choices);
    return read === undefined ? inner : changed(path, inner, read.value, read.sentence);
  }

  function fitInside(shape: Shape, inner: unknown, path: Path): unknown {
    if (Array.isArray(inner)) {
      return sameOr(
        inner,
        inner.map((item, index) => fit(itemShape(shape, index), item, [...path, index])),
      );
    }
    return isPlainObject(inner) ? fitMembers(shape, inner, path) : inner;
  }

  function fitMembers(shape: Shape, given: Record<string, unknown>, path: Path): unknown {
    const object = renameKeys(shape, given, path);
    const fitted: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(object)) {
      const known = shape.properties?.[key] ?? shapeOfOthers(shape);
      const isOptional = shape.properties?.[key] !== undefined && !shape.required?.includes(key);
      if (inner === null && isOptional && !admitsNull(known)) {
        changed([...path, key], null, undefined, "null was read as absent: the field is optional.");
      } else fitted[key] = fit(known, inner, [...path, key]);
    }
    return sameOr(object, fitted);
  }

  function admitsNull(given: Shape): boolean {
    const shape = resolveShape(given, root);
    const branches = branchesOf(shape);
    if (branches !== undefined) return branches.some((branch) => admitsNull(branch));
    return admitsType(shape, null);
  }

  /** `nextAction`, `next-action` and `Next Action` all mean `next_action`, unless two claim it. */
  function renameKeys(
    shape: Shape,
    given: Record<string, unknown>,
    path: Path,
  ): Record<string, unknown> {
    const known = Object.keys(shape.properties ?? {});
    const absent = known.filter((key) => !Object.hasOwn(given, key));
    const unknown = Object.keys(given).filter((key) => !known.includes(key));
    if (absent.length === 0 || unknown.length === 0) return given;
    const renamed = new Map<string, string>();
    for (const key of absent) {
      const [only, second] = unknown.filter((other) => plainKey(other) === plainKey(key));
      if (only !== undefined && second === undefined) renamed.set(only, key);
    }
    if (renamed.size === 0) return given;
    for (const [from, to] of renamed) {
      changed([...path, to], from, to, `The key "${from}" was read as "${to}".`);
    }
    return Object.fromEntries(
      Object.entries(given).map(([key, inner]) => [renamed.get(key) ?? key, inner]),
    );
  }

  function convert(shape: Shape, inner: unknown, path: Path): unknown {
    const types = typesOf(shape);
    if (typeof inner === "string") return convertText(types, inner, path);
    if (types.includes("array") && inner !== null && inner !== undefined) {
      if (!isItemLike(itemShape(shape, 0), inner)) return inner;
      return changed(path, inner, [inner], "A single item was read as a list of one.");
    }
    if (types.includes("object") && Array.isArray(inner)) {
      const [only] = inner as unknown[];
      if (inner.length !== 1 || !isPlainObject(only)) return inner;
      return changed(path, inner, only, "A list of one was read as its only item.");
    }
    // 1.10 has become 1.1 by now: as a version that would be another one.
    if (types.includes("string") && Number.isSafeInteger(inner)) {
      return changed(path, inner, String(inner), "A number was read as text.");
    }
    return inner;
  }

  function convertText(types: readonly string[], text: string, path: Path): unknown {
    const trimmed = text.trim();
    if (types.includes("number") || types.includes("integer")) {
      const number = readNumber(trimmed);
      const sentence = "A text was read as the number it spells.";
      if (number !== undefined) return changed(path, text, number, sentence);
    }
    if (types.includes("boolean") && /^(true|false)$/i.test(trimmed)) {
      const sentence = "A text was read as the truth value it spells.";
      return changed(path, text, trimmed.toLowerCase() === "true", sentence);
    }
    if (types.includes("object") || types.includes("array")) {
      const decoded = decodeJson(trimmed, types);
      if (decoded !== undefined) {
        changed(path, text, decoded, "JSON written inside a text was read as JSON.");
        return inspectValue(decoded).hasReservedKeys
          ? withoutReservedKeys(decoded, ledger, path)
          : decoded;
      }
    }
    // "a, b" may be one item or two.
    if (types.includes("array") && trimmed !== "" && !/[,;\n]/.test(trimmed)) {
      return changed(path, text, [text], "A single item was read as a list of one.");
    }
    return text;
  }

  function isItemLike(given: Shape, inner: unknown): boolean {
    const shape = chooseBranch(given, inner);
    if (!admitsType(shape, inner)) return false;
    if (!isPlainObject(inner)) return true;
    return (shape.required ?? []).every((key) => Object.hasOwn(inner, key));
  }

  function unwrapEnvelope(shape: Shape, given: unknown): unknown {
    if (!isPlainObject(given) || shape.properties === undefined) return given;
    const [only, second] = Object.entries(given);
    if (only === undefined || second !== undefined) return given;
    const [name, inside] = only;
    const fields = Object.keys(shape.properties).map(plainKey);
    if (fields.includes(plainKey(name)) || !isPlainObject(inside)) return given;
    if (!Object.keys(inside).some((key) => fields.includes(plainKey(key)))) return given;
    return changed([], name, inside, `The answer was taken out of "${name}".`);
  }

  function changed(path: Path, before: unknown, after: unknown, sentence: string): unknown {
    ledger.add({
      step: "coerce",
      path: formatPath(path),
      before: excerptOf(before),
      after: after === undefined ? "" : excerptOf(after),
      sentence,
      loss: "coerced",
    });
    return after;
  }
}

function shapeOfOthers({ additionalProperties }: Shape): Shape {
  return typeof additionalProperties === "object" ? additionalProperties : {};
}

function itemShape(shape: Shape, index: number): Shape {
  const fixed = shape.prefixItems?.[index];
  return fixed ?? (typeof shape.items === "object" ? shape.items : {});
}

function sameOr<Container extends object>(given: Container, fitted: Container): Container {
  const keys = Object.keys(given) as (keyof Container)[];
  const isSame =
    keys.length === Object.keys(fitted).length && keys.every((key) => given[key] === fitted[key]);
  return isSame ? given : fitted;
}

export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[\s_-]+/g, "");
}

/** Only what JSON itself would read as a number: neither "87/100" nor "007", "1,000" or "87%". */
function readNumber(text: string): number | undefined {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && text.length < 16
    ? Number(text)
    : undefined;
}

function decodeJson(text: string, types: readonly string[]): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const decoded: unknown = JSON.parse(text);
    return types.includes(jsonTypeOf(decoded)) && !inspectValue(decoded).tooDeep
      ? decoded
      : undefined;
  } catch {
    return undefined;
  }
}
