/** The static files of a page, read once: requests never name a path on disk. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { hashText } from "../../kernel/base/hash.ts";

interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

/** By address; `/` is the page itself. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json; charset=utf-8",
};

export const BUILT_IN_PAGE: string = path.join(import.meta.dirname, "page");

export function readPageFiles(folder: string): PageFiles {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[path.extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = path.join(entry.parentPath, entry.name);
    const body = new Uint8Array(readFileSync(file));
    const address = `/${path.relative(folder, file).split(path.sep).join("/")}`;
    const etag = `"${hashText(Buffer.from(body).toString("latin1")).slice(0, 16)}"`;
    files.set(address === "/index.html" ? "/" : address, { body, type, etag });
  }
  return files;
}
