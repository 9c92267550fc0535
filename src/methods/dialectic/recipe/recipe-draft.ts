/** A domain while it is being compiled. */

import type { Library, LibraryFile } from "../../../kernel/library/library.ts";
import { type DomainContent } from "./read-domain.ts";
import { GRANULARITIES, type Granularity, type InputType, type RecipeStep } from "./recipe-file.ts";
import { type ProblemList } from "./recipe-problem.ts";
import { type DocumentShape } from "./resolve-document.ts";

export interface Draft {
  readonly content: DomainContent;
  readonly library: Library;
  readonly problems: ProblemList;
  readonly shapes: ReadonlyMap<string, DocumentShape>;
  readonly steps: readonly DraftStep[];
}

export interface DraftStep {
  readonly step: RecipeStep;
  readonly stage: string;
  readonly stageIndex: number;
  readonly index: number;
  readonly file: LibraryFile;
}

export function granularityOf(given: string): Granularity | undefined {
  if (given === "one_to_one") return "per_source_document";
  return GRANULARITIES.find((known) => known === given);
}

export function isProduced(type: InputType): boolean {
  return type === "document" || type === "contribution" || type === "header_context";
}
