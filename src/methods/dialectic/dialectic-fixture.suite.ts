/** Libraries for tests: one in memory, and the built-in one with some files written differently. */

import { builtInLibrary } from "../../../tests/scratch/scratch-kernel.ts";
import { type Library, openLibrary } from "../../kernel/library/library.ts";

export type Files = Readonly<Record<string, unknown>>;

/** Values that are no text are written as JSON. Paths are below `dialectic/`. */
export function fixtureLibrary(files: Files): Library {
  const texts = new Map(
    Object.entries(files).map(([path, content]) => [
      `dialectic/${path}`,
      typeof content === "string" ? content : JSON.stringify(content, null, 2),
    ]),
  );
  return openLibrary({
    layers: [{ name: "built-in", folder: "memory" }],
    files: {
      list: () => [...texts.keys()].toSorted(),
      stamp: (_folder, file) => (texts.has(file) ? "1" : undefined),
      read: (_folder, file) => texts.get(file) ?? "",
    },
  });
}

/** The built-in files of the dialectic, each as text. */
export function builtInFiles(): Record<string, string> {
  const library = builtInLibrary();
  return Object.fromEntries(
    library
      .list({ folder: "dialectic" })
      .map(({ path }) => [path.slice("dialectic/".length), library.read(path).text]),
  );
}

/** The built-in files with one of them changed as JSON. */
export function withEdited(path: string, edit: (content: JsonFile) => void): Library {
  const files = builtInFiles();
  const content = JSON.parse(files[path] ?? "") as JsonFile;
  edit(content);
  return fixtureLibrary({ ...files, [path]: content });
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests reach into files of any shape
export type JsonFile = any;
