/**
 * Content as data: prompts, recipes, teams, workflows, intents, targets and prices, each a file in a folder.
 *
 * Folders are layered. A file in a later layer hides the file of the same path in the earlier ones,
 * so a workspace or project overrides one prompt by writing one file. Files are read when asked for
 * and again only when they have changed.
 */

import { ProductError } from "../base/errors.ts";
import { hashText } from "../base/hash.ts";
import { nearMatches } from "../contract/near-match.ts";
import { diskLibraryFiles, type LibraryFiles } from "./library-files.ts";
import { kindOf, type LibraryKind } from "./library-kind.ts";

export interface LibraryLayer {
  /** Such as `built-in`, `workspace`, `project`. */
  readonly name: string;
  readonly folder: string;
}

export interface LibraryEntry {
  readonly path: string;
  /** `undefined` when the file lies where the product expects none. */
  readonly kind: LibraryKind | undefined;
  readonly layer: string;
  /** The layers whose file of this path is hidden, nearest first. */
  readonly overrides: readonly string[];
}

export interface LibraryFile {
  readonly path: string;
  readonly layer: string;
  readonly overrides: readonly string[];
  readonly text: string;
  readonly hash: string;
}

export interface Library {
  /** Sorted by path; `folder` is a beginning of paths, such as `ask` or `ask/prompts`. */
  list(where?: { readonly kind?: LibraryKind; readonly folder?: string }): readonly LibraryEntry[];
  /** The same object as before while nothing has changed, so what is made of it may be kept by it. */
  read(path: string): LibraryFile;
}

/** Later layers win. A layer whose folder does not exist is empty. */
export function openLibrary(options: {
  readonly layers: readonly LibraryLayer[];
  readonly files?: LibraryFiles;
}): Library {
  const files = options.files ?? diskLibraryFiles;
  const strongestFirst = options.layers.toReversed();
  const known = new Map<string, { readonly stamps: string; readonly file: LibraryFile }>();

  const list: Library["list"] = ({ kind, folder } = {}) => {
    const holders = new Map<string, string[]>();
    for (const layer of strongestFirst) {
      for (const path of files.list(layer.folder)) {
        const layers = holders.get(path);
        if (layers === undefined) holders.set(path, [layer.name]);
        else layers.push(layer.name);
      }
    }
    return [...holders]
      .map(([path, [layer = "", ...overrides]]) => ({ path, kind: kindOf(path), layer, overrides }))
      .filter((entry) => kind === undefined || entry.kind === kind)
      .filter((entry) => folder === undefined || entry.path.startsWith(`${folder}/`))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  };

  const read: Library["read"] = (path) => {
    refuseOddPath(path);
    const stamped = strongestFirst.map((layer) => ({
      layer,
      stamp: files.stamp(layer.folder, path),
    }));
    const stamps = stamped.map(({ stamp }) => stamp ?? "").join("|");
    const before = known.get(path);
    if (before?.stamps === stamps) return before.file;
    const [winner, ...hidden] = stamped.filter(({ stamp }) => stamp !== undefined);
    if (winner === undefined) throw fileNotFound(path, options.layers, list());
    const text = files.read(winner.layer.folder, path);
    const file: LibraryFile = {
      path,
      layer: winner.layer.name,
      overrides: hidden.map(({ layer }) => layer.name),
      text,
      hash: hashText(text),
    };
    known.set(path, { stamps, file });
    return file;
  };

  return { list, read };
}

const PATH = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*$/;

function refuseOddPath(path: string): void {
  if (path.length <= 200 && PATH.test(path)) return;
  throw new ProductError(
    "library_path_invalid",
    `${JSON.stringify(path.slice(0, 200))} is not a path in the library.`,
    { hint: "Paths look like ask/prompts/answer.md: letters, digits, dots, dashes, underscores." },
  );
}

function fileNotFound(
  path: string,
  layers: readonly LibraryLayer[],
  entries: readonly LibraryEntry[],
): ProductError {
  const near = nearMatches(
    path,
    entries.map((entry) => entry.path),
  );
  return new ProductError("library_file_not_found", `The library has no "${path}".`, {
    kind: "not_found",
    hint:
      near.length > 0
        ? `Did you mean ${near.join(" or ")}?`
        : "List what there is with `library list`.",
    details: { path, searched: layers.map(({ folder }) => folder) },
  });
}
