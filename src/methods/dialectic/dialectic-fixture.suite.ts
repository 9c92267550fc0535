/** A library in memory, for tests that need recipes of their own. */

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
