/** What is wrong inside a library file, all of it at once, each with its line. */

import { ProductError } from "../base/errors.ts";
import type { LibraryFile } from "./library.ts";

export interface LibraryProblem {
  readonly line: number;
  readonly message: string;
  readonly hint?: string;
}

export function fileInvalid(
  code: "prompt_invalid" | "library_json_invalid",
  file: LibraryFile,
  problems: readonly LibraryProblem[],
): ProductError {
  const ordered = problems.toSorted((a, b) => a.line - b.line);
  const lines = ordered.map(({ line, message }) => `${file.path}:${line}: ${message}`);
  const hints = new Set(ordered.flatMap(({ hint }) => (hint === undefined ? [] : [hint])));
  return new ProductError(code, lines.join("\n"), {
    ...(hints.size === 0 ? {} : { hint: [...hints].join(" ") }),
    details: { path: file.path, layer: file.layer, problems: ordered },
  });
}
