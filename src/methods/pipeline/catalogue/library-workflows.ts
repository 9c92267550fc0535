/** The workflows that come as files: shipped with the product, or put into the workspace's or project's library. */

import type { Library, LibraryEntry, LibraryFile } from "../../../kernel/library/library.ts";
import type { CheckedWorkflow } from "../workflow/check-workflow.ts";
import { readSource } from "./definition-cache.ts";

export interface LibraryWorkflow extends CheckedWorkflow {
  /** How it is called where a workflow is named: `library:pr-review`. */
  readonly ref: string;
  readonly name: string;
  readonly description: string;
  readonly file: LibraryFile;
}

const FOLDER = "pipeline/workflows";
const ENDING = ".mmd";
const PREFIX = "library:";

export function listLibraryWorkflows(library: Library): readonly LibraryWorkflow[] {
  return entriesOf(library).map((entry) => toWorkflow(library, entry.path));
}

/** By `library:<file name>`, by the file's name alone, or by the name the workflow gives itself. */
export function findInLibrary(library: Library, given: string): LibraryWorkflow | undefined {
  const wanted = isLibraryRef(given) ? given.slice(PREFIX.length) : given;
  const all = entriesOf(library);
  const byFile = all.find(({ path }) => slugOf(path) === wanted);
  if (byFile !== undefined) return toWorkflow(library, byFile.path);
  return all.map(({ path }) => toWorkflow(library, path)).find(({ name }) => name === wanted);
}

export function isLibraryRef(given: string): boolean {
  return given.startsWith(PREFIX);
}

export function libraryRef(path: string): string {
  return PREFIX + slugOf(path);
}

function entriesOf(library: Library): readonly LibraryEntry[] {
  return library.list({ kind: "workflows", folder: FOLDER });
}

function toWorkflow(library: Library, path: string): LibraryWorkflow {
  const file = library.read(path);
  const read = readSource(file.text);
  return {
    ...read,
    ref: libraryRef(path),
    name: read.definition.name ?? slugOf(path),
    description: read.definition.description ?? "",
    file,
  };
}

function slugOf(path: string): string {
  return path.slice(FOLDER.length + 1, -ENDING.length);
}
