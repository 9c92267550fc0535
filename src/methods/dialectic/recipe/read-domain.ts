/** Reads everything that makes up a domain from the library. What the files say is checked elsewhere. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Library, LibraryFile } from "../../../kernel/library/library.ts";
import { parseLibraryJson } from "../../../kernel/library/parse-library-json.ts";
import { type DocumentFile, documentFile } from "./document-file.ts";
import { type DomainFile, domainFile, type OverlayValues, overlayFile } from "./domain-file.ts";
import { type RecipeFile, recipeFile } from "./recipe-file.ts";

export interface DomainContent {
  readonly domain: DomainFile;
  readonly systemOverlays: OverlayValues;
  /** In the order of the domain's stages. */
  readonly recipes: readonly FromFile<RecipeFile>[];
  /** By key. */
  readonly documents: ReadonlyMap<string, FromFile<DocumentFile>>;
  readonly file: LibraryFile;
}

export interface FromFile<Value> {
  readonly value: Value;
  readonly file: LibraryFile;
}

export function listDomains(library: Library): readonly DomainFile[] {
  return library
    .list({ kind: "domains", folder: "dialectic" })
    .map(({ path }) => parseLibraryJson(library.read(path), domainFile));
}

export function readDomain(library: Library, key: string): DomainContent {
  const known = library
    .list({ kind: "domains", folder: "dialectic" })
    .map(({ path }) => nameOf(path));
  if (!known.includes(key)) {
    throw new ProductError("domain_unknown", `There is no domain "${key}".`, {
      kind: "not_found",
      hint: `Domains are ${known.join(", ")}; docs/dialectic-content.md says how to write one.`,
    });
  }
  const file = library.read(`dialectic/domains/${key}.json`);
  const domain = parseLibraryJson(file, domainFile);
  const overlays = library.read("dialectic/overlays/system.json");
  const documents = library
    .list({ kind: "documents", folder: `dialectic/documents/${key}` })
    .map(({ path }): [string, FromFile<DocumentFile>] => {
      const read = library.read(path);
      return [nameOf(path), { value: parseLibraryJson(read, documentFile), file: read }];
    });
  const recipes = domain.stages.map((stage) => {
    const read = library.read(`dialectic/recipes/${key}/${stage}.json`);
    return { value: parseLibraryJson(read, recipeFile), file: read };
  });
  return {
    domain,
    systemOverlays: parseLibraryJson(overlays, overlayFile).values,
    recipes,
    documents: new Map(documents),
    file,
  };
}

export function promptPath(domain: string, name: string): string {
  return `dialectic/prompts/${domain}/${name}.md`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.json$/, "");
}
