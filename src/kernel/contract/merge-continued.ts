/**
 * Merges what a continuation brought as a JSON document of its own into the document so far. The
 * engine owns the cursor: what the addition claims about itself is not obeyed.
 *
 * - Objects merge member by member; a member that the contract does not know is refused.
 * - Lists append by identity (the list's own, else `id`, `key`, `name`, else the whole value); an item that is there
 *   already is completed, never doubled or replaced.
 * - A text joins only where the document was cut. Elsewhere the first version stands, and the
 *   other is reported as a conflict.
 * - Nothing received is lost: every leaf of the addition is in the value or in the notes.
 */

import { canonicalJson } from "../base/json.ts";
import type { Contract } from "./contract.ts";
import { inspectValue, isReservedKey, MOST_DEPTH } from "./inspect.ts";
import { longestOverlap } from "./overlap.ts";
import { formatPath, isPlainObject, type Path, valueAt } from "./path.ts";
import type { OpenLeaf } from "./reading.ts";
import { branchesOf, resolveShape, type Shape, shapeOf } from "./shape.ts";

interface MergeNote {
  readonly kind: "added" | "joined" | "completed" | "repeated" | "conflict" | "refused";
  readonly path: string;
  /** What the addition held there. */
  readonly received: unknown;
  readonly sentence: string;
}

export interface MergeOptions {
  /** Knows the document's own keys; without it every key is taken. */
  readonly contract?: Contract;
  /** Names of the fields that tell list items apart, the first that is there counts. */
  readonly identity?: readonly string[];
  /** Where the document so far was cut, as a reading reports it. */
  readonly open?: OpenLeaf;
  /** The document's own name: an object that says it belongs to another is refused. */
  readonly documentKey?: string;
}

export interface Merged {
  readonly value: unknown;
  readonly notes: readonly MergeNote[];
  /** The leaf that is still open, so that the next addition can go on. */
  readonly open?: OpenLeaf;
  /** False when the addition brought nothing that was taken: continuing again is pointless. */
  readonly progressed: boolean;
}

const IDENTITY = ["id", "key", "name"];
const DOCUMENT_CLAIMS = ["document_key", "documentKey"];
const MIN_OVERLAP = 16;
const OTHER_DOCUMENT = "It says that it belongs to another document.";
const TOO_DEEP = `It is nested deeper than ${MOST_DEPTH} levels.`;
const SENTENCES: Readonly<Record<MergeNote["kind"], string>> = {
  added: "It is new.",
  joined: "The text was joined at the cut.",
  completed: "The text that was cut came again as a whole.",
  repeated: "It was there already.",
  conflict: "It differs from what was received first, which stands.",
  refused: "It does not belong here.",
};

export function mergeContinued(
  base: unknown,
  addition: unknown,
  options: MergeOptions = {},
): Merged {
  const notes: MergeNote[] = [];
  const root = options.contract === undefined ? {} : shapeOf(options.contract);
  const names = options.identity ?? IDENTITY;
  let open = options.open;
  const started = open?.text === undefined ? base : withValueAt(base, open.path, open.text);
  const value = inspectValue(addition).tooDeep
    ? note("refused", [], addition, started, TOO_DEEP)
    : merge(started, unwrapped(addition), root, []);
  const progressed = notes.some(({ kind }) => ["added", "joined", "completed"].includes(kind));
  return { value, notes, progressed, ...(open === undefined ? {} : { open }) };

  function merge(mine: unknown, theirs: unknown, shape: Shape, path: Path): unknown {
    if (claimsOther(theirs, shape)) return note("refused", path, theirs, mine, OTHER_DOCUMENT);
    if (mine === undefined) return take(theirs, shape, path);
    if (isOpenAt(path)) return joinOpen(mine, theirs, path);
    if (Array.isArray(mine) && Array.isArray(theirs)) return mergeLists(mine, theirs, shape, path);
    if (isPlainObject(mine) && isPlainObject(theirs)) {
      return mergeObjects(mine, theirs, shape, path);
    }
    const isSame = canonicalJson(mine) === canonicalJson(theirs);
    return note(isSame ? "repeated" : "conflict", path, theirs, mine);
  }

  function mergeObjects(
    mine: Record<string, unknown>,
    theirs: Record<string, unknown>,
    given: Shape,
    path: Path,
  ): Record<string, unknown> {
    const shape = objectShape(given, root);
    const merged = { ...mine };
    for (const [key, inner] of Object.entries(theirs)) {
      const member = memberShape(shape, key);
      const at = [...path, key];
      if (isReservedKey(key) || member === undefined) {
        note("refused", at, inner, undefined, "This document has no such key.");
        continue;
      }
      const next = merge(Object.hasOwn(mine, key) ? mine[key] : undefined, inner, member, at);
      if (next !== undefined) merged[key] = next;
    }
    return merged;
  }

  function mergeLists(mine: unknown[], theirs: unknown[], given: Shape, path: Path): unknown[] {
    const shape = resolveShape(given, root);
    const merged = [...mine];
    const own = shape.identity === undefined ? names : [shape.identity];
    const places = new Map<string, number>();
    for (const [index, entry] of mine.entries()) places.set(identityOf(entry, own), index);
    for (const entry of theirs) {
      const place = places.get(identityOf(entry, own)) ?? placeOfOpen(merged, entry, path, own);
      if (place !== undefined) {
        const item = itemShape(shape, entry, place, own);
        merged[place] = merge(merged[place], entry, item, [...path, place]);
        places.set(identityOf(merged[place], own), place);
        continue;
      }
      const item = itemShape(shape, entry, merged.length, own);
      const taken = merge(undefined, entry, item, [...path, merged.length]);
      if (taken === undefined) continue;
      places.set(identityOf(entry, own), merged.length);
      merged.push(taken);
    }
    return merged;
  }

  /** Where every place of a list has its own shape, the one that names this entry; else that of the place. */
  function itemShape(shape: Shape, entry: unknown, place: number, own: readonly string[]): Shape {
    if (shape.prefixItems === undefined) return typeof shape.items === "object" ? shape.items : {};
    const named = shape.prefixItems.find((each) =>
      own.some((name) => {
        const wanted = objectShape(each, root).properties?.[name]?.const;
        return wanted !== undefined && isPlainObject(entry) && entry[name] === wanted;
      }),
    );
    return named ?? shape.prefixItems[place] ?? {};
  }

  /** The item that was being written at the cut, if this entry can be the rest of it. */
  function placeOfOpen(
    list: readonly unknown[],
    entry: unknown,
    path: Path,
    own: readonly string[],
  ): number | undefined {
    const at = open?.path[path.length];
    const isOnPath = open !== undefined && typeof at === "number" && isPrefix(path, open.path);
    if (!isOnPath || at !== list.length - 1) return undefined;
    const mine = list[at];
    if (!isPlainObject(mine) || !isPlainObject(entry))
      return isOpenAt([...path, at]) ? at : undefined;
    const hasOwnIdentity = own.some(
      (name) => Object.hasOwn(mine, name) && !isOpenAt([...path, at, name]),
    );
    if (hasOwnIdentity) return undefined;
    const agrees = Object.entries(entry).every(([key, inner]) => {
      if (!Object.hasOwn(mine, key) || isOpenAt([...path, at, key])) return true;
      return canonicalJson(mine[key]) === canonicalJson(inner);
    });
    return agrees ? at : undefined;
  }

  function joinOpen(mine: unknown, theirs: unknown, path: Path): unknown {
    if (typeof mine !== "string" || typeof theirs !== "string") {
      return note("conflict", path, theirs, mine);
    }
    if (theirs.startsWith(mine) && theirs.length > mine.length) {
      open = undefined;
      return note("completed", path, theirs, theirs);
    }
    const { length, isPeriodic } = longestOverlap(mine, theirs);
    const rest = length >= MIN_OVERLAP && !isPeriodic ? theirs.slice(length) : theirs;
    if (rest === "" || theirs === mine) return note("repeated", path, theirs, mine);
    open = undefined;
    return note("joined", path, theirs, mine + rest);
  }

  function take(theirs: unknown, shape: Shape, path: Path): unknown {
    if (isPlainObject(theirs)) {
      const taken = mergeObjects({}, theirs, shape, path);
      const isEmpty = Object.keys(taken).length === 0 && Object.keys(theirs).length > 0;
      return isEmpty ? undefined : taken;
    }
    if (Array.isArray(theirs)) {
      return theirs.length === 0
        ? note("added", path, theirs, [])
        : mergeLists([], theirs, shape, path);
    }
    return note("added", path, theirs, theirs);
  }

  function identityOf(entry: unknown, own: readonly string[]): string {
    if (isPlainObject(entry)) {
      for (const name of own) {
        const known = Object.hasOwn(entry, name) ? entry[name] : undefined;
        if (typeof known === "string" || typeof known === "number") return `${name}=${known}`;
      }
    }
    return canonicalJson(entry);
  }

  /** Where the document itself has such a field, it says which of its own parts this is. */
  function claimsOther(theirs: unknown, shape: Shape): boolean {
    if (options.documentKey === undefined || !isPlainObject(theirs)) return false;
    return DOCUMENT_CLAIMS.some((name) => {
      const claim = theirs[name];
      if (typeof claim !== "string") return false;
      const field = objectShape(shape, root).properties?.[name];
      return field === undefined
        ? claim !== options.documentKey
        : field.const !== undefined && claim !== field.const;
    });
  }

  /** `{ "business_case": { … } }` is this document in a wrapper that bears its name. */
  function unwrapped(theirs: unknown): unknown {
    const key = options.documentKey;
    if (key === undefined || !isPlainObject(theirs)) return theirs;
    const isWrapper = Object.keys(theirs).join() === key;
    return isWrapper && objectShape(root, root).properties?.[key] === undefined
      ? theirs[key]
      : theirs;
  }

  function isOpenAt(path: Path): boolean {
    return (
      open?.text !== undefined && path.length === open.path.length && isPrefix(path, open.path)
    );
  }

  /** Returns what stays in the document. */
  function note<Kept>(
    kind: MergeNote["kind"],
    path: Path,
    received: unknown,
    kept: Kept,
    sentence: string = SENTENCES[kind],
  ): Kept {
    notes.push({ kind, path: formatPath(path), received, sentence });
    return kept;
  }
}

/** Keys the shape admits; `undefined` marks one that belongs to another document. */
function memberShape(shape: Shape, key: string): Shape | undefined {
  const known = shape.properties?.[key];
  if (known !== undefined) return known;
  if (typeof shape.additionalProperties === "object") return shape.additionalProperties;
  return shape.properties === undefined || shape.additionalProperties === true ? {} : undefined;
}

/** Of a union, all the members that any of its branches knows. */
function objectShape(given: Shape, root: Shape): Shape {
  const shape = resolveShape(given, root);
  const branches = branchesOf(shape)?.map((branch) => resolveShape(branch, root));
  if (branches === undefined) return shape;
  const objects = branches.filter(({ properties }) => properties !== undefined);
  if (objects.length === 0) return {};
  return {
    properties: Object.assign({}, ...objects.map(({ properties }) => properties)) as Record<
      string,
      Shape
    >,
  };
}

function isPrefix(path: Path, of: Path): boolean {
  return path.every((segment, index) => segment === of[index]);
}

/** A copy with the cut text in its place, so that no part of it is lost. */
function withValueAt(value: unknown, path: Path, leaf: unknown): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return leaf;
  if (Array.isArray(value) && typeof segment === "number") {
    return value.toSpliced(segment, 1, withValueAt(value[segment], rest, leaf));
  }
  if (typeof segment === "number") return [withValueAt(undefined, rest, leaf)];
  const object = isPlainObject(value) ? value : {};
  return { ...object, [segment]: withValueAt(valueAt(object, [segment]), rest, leaf) };
}
