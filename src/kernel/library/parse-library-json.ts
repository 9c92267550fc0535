/** JSON files of the library, checked by the schema of the method that owns them. */

import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { z } from "zod";
import { ProductError } from "../base/errors.ts";
import { parseJson } from "../base/safe-json.ts";
import { positionAt, type TextPosition } from "../base/text-position.ts";
import type { LibraryFile } from "./library.ts";
import { fileInvalid, type LibraryProblem } from "./library-problem.ts";

/** A `$schema` at the top is for editors and is not handed to the schema. */
export function parseLibraryJson<Schema extends z.ZodType>(
  file: LibraryFile,
  schema: Schema,
): z.output<Schema> {
  const result = schema.safeParse(withoutEditorHint(readJson(file)));
  if (result.success) return result.data;
  const tree = parseTree(file.text);
  throw fileInvalid(
    "library_json_invalid",
    file,
    result.error.issues.map((issue) => problemOf(issue, file.text, tree)),
  );
}

function readJson(file: LibraryFile): unknown {
  try {
    return parseJson(file.text);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    const line = error.details["line"];
    const problem = { line: typeof line === "number" ? line : 1, message: error.message };
    throw fileInvalid("library_json_invalid", file, [
      error.hint === undefined ? problem : { ...problem, hint: error.hint },
    ]);
  }
}

function withoutEditorHint(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "$schema")) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== "$schema"));
}

function problemOf(
  issue: { readonly path: readonly PropertyKey[]; readonly message: string },
  text: string,
  tree: Node | undefined,
): LibraryProblem {
  const place = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const where = place.length === 0 ? "" : `${place.join(".")}: `;
  return {
    line: positionAt(text, offsetOf(tree, place)).line,
    message: `${where}${issue.message}`,
  };
}

const trees = new WeakMap<LibraryFile, { readonly tree: Node | undefined }>();

/** Where the value at a place of a JSON file stands, or the nearest container when it is missing. */
export function positionInFile(
  file: LibraryFile,
  place: readonly (string | number)[],
): TextPosition {
  const known = trees.get(file) ?? { tree: parseTree(file.text) };
  trees.set(file, known);
  return positionAt(file.text, offsetOf(known.tree, place));
}

/** Of the value at the place, or of the nearest container when the value itself is missing. */
function offsetOf(tree: Node | undefined, place: readonly (string | number)[]): number {
  if (tree === undefined) return 0;
  for (let length = place.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, place.slice(0, length));
    if (node !== undefined) return node.offset;
  }
  return tree.offset;
}
