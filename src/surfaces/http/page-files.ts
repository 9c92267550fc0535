/** The web pages as built, kept in memory: requests never name a path on disk. A later build is noticed and read. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { hashText } from "../../kernel/base/hash.ts";

export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The same for readers that can unpack; made when first asked for. Pictures are packed already. */
  readonly packed: (() => Uint8Array<ArrayBuffer>) | undefined;
  readonly type: string;
  readonly etag: string;
  /** Named after its content, so it never changes. */
  readonly isLasting: boolean;
}

export interface Pages {
  /** By address; `/` is the page itself. */
  find(address: string): PageFile | undefined;
}

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

/** Whether an address is of a file of the pages, there or not. A dot alone makes none: places have them, too. */
export function namesFile(address: string): boolean {
  const { base, ext } = path.posix.parse(address);
  return base.startsWith(".") || Object.hasOwn(TYPES, ext);
}

/** Where the build puts what it named after its content. */
const LASTING = "/assets/";

/** A folder that is not there yet gives the page that says how to build it. */
export function openPages(folder: string): Pages {
  const page = path.join(folder, "index.html");
  let builtAt: number | undefined;
  let files: ReadonlyMap<string, PageFile> = UNBUILT;
  return {
    find(address) {
      const now = statSync(page, { throwIfNoEntry: false })?.mtimeMs;
      if (now !== builtAt) {
        builtAt = now;
        files = now === undefined ? UNBUILT : readFiles(folder);
      }
      return files.get(address);
    },
  };
}

function readFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[path.extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = path.join(entry.parentPath, entry.name);
    const address = `/${path.relative(folder, file).split(path.sep).join("/")}`;
    const found = pageFile(new Uint8Array(readFileSync(file)), type, address);
    files.set(address, found);
    // A page also answers to its name alone, as people type it; a folder's own page to the folder's.
    if (address.endsWith(".html")) files.set(address.slice(0, -".html".length), found);
    const [, place] = /^(.*)\/index\.html$/.exec(address) ?? [];
    if (place === undefined) continue;
    files.set(`${place}/`, found);
    if (place !== "") files.set(place, found);
  }
  return files;
}

function pageFile(body: Uint8Array<ArrayBuffer>, type: string, address: string): PageFile {
  let packed: Uint8Array<ArrayBuffer> | undefined;
  const pack = () => {
    packed ??= new Uint8Array(gzipSync(body));
    return packed;
  };
  return {
    body,
    packed: type.includes("charset") ? pack : undefined,
    type,
    etag: `"${hashText(Buffer.from(body).toString("latin1")).slice(0, 16)}"`,
    isLasting: address.startsWith(LASTING),
  };
}

const UNBUILT_TEXT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Throughline</title>
<h1>The pages are not built yet</h1>
<p>The server runs, and the command line works. Build the pages with <code>npm run build -w web</code>, then load this page again.
</html>
`;

const UNBUILT: ReadonlyMap<string, PageFile> = new Map([
  ["/", pageFile(new Uint8Array(Buffer.from(UNBUILT_TEXT)), TYPES[".html"] ?? "", "/")],
]);

/** For servers that have no pages of their own. */
export const NO_PAGES: Pages = { find: (address) => UNBUILT.get(address) };
