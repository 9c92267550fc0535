/**
 * How the library reaches its files. The folder of a layer may be anything, but below it only real
 * files count: a link is never followed, so nothing outside the folder can be read through it.
 */

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from "node:fs";
import path from "node:path";
import { ProductError } from "../base/errors.ts";

export interface LibraryFiles {
  /** The paths of all files below the folder, like `ask/prompts/answer.md`, sorted; none when it does not exist. */
  list(folder: string): readonly string[];
  /** Another text whenever the file has changed; `undefined` when there is no such file. */
  stamp(folder: string, file: string): string | undefined;
  read(folder: string, file: string): string;
}

export const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 2_000;

export const diskLibraryFiles: LibraryFiles = {
  list(folder) {
    const found: string[] = [];
    const waiting = [""];
    for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
      for (const entry of entriesOf(path.join(folder, below))) {
        if (entry.name.startsWith(".")) continue;
        const file = below === "" ? entry.name : `${below}/${entry.name}`;
        if (entry.isDirectory()) waiting.push(file);
        // A link is listed, so that reading it can say why it does not count.
        else if (entry.isFile() || entry.isSymbolicLink()) found.push(file);
        if (found.length + waiting.length > MAX_FILES) throw tooMany(folder);
      }
    }
    return found.toSorted();
  },

  stamp(folder, file) {
    const options = { bigint: true, throwIfNoEntry: false } as const;
    const stats = unlessMissing(() => lstatSync(path.join(folder, file), options));
    if (stats === undefined || stats.isDirectory()) return undefined;
    return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}`;
  },

  read(folder, file) {
    const target = path.join(realpathSync(folder), file);
    if (realpathSync(target) !== target || !lstatSync(target).isFile()) throw notReal(folder, file);
    const handle = openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { size } = fstatSync(handle);
      if (size > MAX_FILE_BYTES) throw tooLarge(folder, file, size);
      return decode(readFileSync(handle), folder, file);
    } finally {
      closeSync(handle);
    }
  },
};

function entriesOf(folder: string) {
  return unlessMissing(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

function unlessMissing<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function decode(bytes: Uint8Array, folder: string, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ProductError("library_encoding_invalid", `"${file}" is not UTF-8 text.`, {
      hint: "Save the file as UTF-8.",
      details: { folder, path: file },
      cause: error,
    });
  }
}

function notReal(folder: string, file: string): ProductError {
  return new ProductError(
    "library_link_refused",
    `"${file}" in ${folder} is a link or lies behind one; only real files count.`,
    {
      kind: "not_allowed",
      hint: "Copy the file into the folder.",
      details: { folder, path: file },
    },
  );
}

function tooLarge(folder: string, file: string, bytes: number): ProductError {
  return new ProductError(
    "library_file_too_large",
    `"${file}" has ${bytes} bytes; a library file has at most ${MAX_FILE_BYTES}.`,
    { kind: "limit", hint: "Split the file.", details: { folder, path: file, bytes } },
  );
}

function tooMany(folder: string): ProductError {
  return new ProductError(
    "library_folder_too_large",
    `The library folder ${folder} holds more than ${MAX_FILES} files.`,
    { kind: "limit", hint: "Is it the right folder?", details: { folder } },
  );
}
