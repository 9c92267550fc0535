/**
 * The files of a domain as one text, kept with every session that was started from them: a session goes on
 * with what it began with, whatever is written in the library meanwhile.
 */

import { hashText } from "../../../kernel/base/hash.ts";
import { canonicalJson } from "../../../kernel/base/json.ts";
import { type Library, openLibrary } from "../../../kernel/library/library.ts";
import { compileDomain } from "./compile-domain.ts";
import type { CompiledDomain } from "./compiled-domain.ts";
import { recipeInvalid } from "./recipe-problem.ts";

export interface PinnedFiles {
  readonly domain: string;
  /** Path → text, as canonical JSON. */
  readonly files: string;
  readonly hash: string;
}

/** A domain ready to work with, and the prompts it was pinned with. */
export interface PinnedDomain {
  readonly domain: CompiledDomain;
  readonly library: Library;
}

/** Throws `recipe_invalid` when the domain has problems. */
export function pinDomain(library: Library, domain: string): PinnedFiles {
  getDomain(library, domain);
  const isShared = (path: string) => /^dialectic\/(?:prompts\/[^/]+\.md|overlays\/)/.test(path);
  const isOwn = (path: string) =>
    path === `dialectic/domains/${domain}.json` ||
    ["recipes", "documents", "prompts"].some((kind) =>
      path.startsWith(`dialectic/${kind}/${domain}/`),
    );
  const files = Object.fromEntries(
    library
      .list({ folder: "dialectic" })
      .filter(({ path }) => isShared(path) || isOwn(path))
      .map(({ path }) => [path, library.read(path).text]),
  );
  const text = canonicalJson(files);
  return { domain, files: text, hash: hashText(text) };
}

export function getDomain(library: Library, key: string): CompiledDomain {
  const { domain, problems } = compileDomain(library, key);
  if (domain === undefined) throw recipeInvalid(key, problems);
  return domain;
}

const MOST_KEPT = 16;
const kept = new Map<string, PinnedDomain>();

/** Compiling takes as long as many turns, so what has been compiled is kept by its hash. */
export function openPinned({ domain, files, hash }: PinnedFiles): PinnedDomain {
  const known = kept.get(hash);
  if (known !== undefined) return known;
  const library = libraryOf(JSON.parse(files) as Readonly<Record<string, string>>);
  const opened = { domain: getDomain(library, domain), library };
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(hash, opened);
  return opened;
}

/** Whether `openPinned` would need the files. */
export function findOpened(hash: string): PinnedDomain | undefined {
  return kept.get(hash);
}

function libraryOf(files: Readonly<Record<string, string>>): Library {
  return openLibrary({
    layers: [{ name: "pinned", folder: "pinned" }],
    files: {
      list: () => Object.keys(files).toSorted(),
      stamp: (_folder, file) => (Object.hasOwn(files, file) ? "pinned" : undefined),
      read: (_folder, file) => files[file] ?? "",
    },
  });
}
