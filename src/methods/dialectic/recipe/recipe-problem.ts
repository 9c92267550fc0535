/** What is wrong with a domain's files, each with its place. All of it is told at once. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { LibraryFile } from "../../../kernel/library/library.ts";
import { positionInFile } from "../../../kernel/library/parse-library-json.ts";

export type RecipeProblemCode =
  | "file_invalid"
  | "file_missing"
  | "name_mismatch"
  | "not_filled_in"
  | "duplicate_key"
  | "unknown_field"
  | "field_not_rendered"
  | "unknown_include"
  | "unknown_granularity"
  | "unknown_producer"
  | "wrong_type"
  | "missing_relevance"
  | "unmatched_relevance"
  | "ambiguous_relevance"
  | "cycle"
  | "no_source"
  | "header_shape"
  | "unknown_variable"
  | "reserved_name";

export interface RecipeProblem {
  readonly code: RecipeProblemCode;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

type Place = readonly (string | number)[];

/** Collects problems of files, pointing at the value a place names, or at the nearest there is. */
export interface ProblemList {
  add(
    file: LibraryFile,
    place: Place,
    code: RecipeProblemCode,
    message: string,
    hint?: string,
  ): void;
  addAll(problems: readonly RecipeProblem[]): void;
  list(): readonly RecipeProblem[];
}

export function createProblemList(): ProblemList {
  const problems: RecipeProblem[] = [];
  return {
    add(file, place, code, message, hint) {
      const { line, column } = positionInFile(file, place);
      const problem = { code, path: file.path, line, column, message };
      problems.push(hint === undefined ? problem : { ...problem, hint });
    },
    addAll: (more) => problems.push(...more),
    list: () =>
      problems.toSorted(
        (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line) || 0,
      ),
  };
}

export function sayProblem({
  path,
  line,
  column,
  message,
}: Pick<RecipeProblem, "path" | "line" | "column" | "message">): string {
  return `${path}:${line}:${column}: ${message}`;
}

export function recipeInvalid(domain: string, problems: readonly RecipeProblem[]): ProductError {
  const shown = problems.slice(0, 5).map(sayProblem);
  const rest = problems.length - shown.length;
  return new ProductError(
    "recipe_invalid",
    [
      `The recipes of "${domain}" cannot be used:`,
      ...shown,
      ...(rest > 0 ? [`and ${rest} more.`] : []),
    ].join("\n"),
    {
      hint: `See all of it with \`dialectic check ${domain}\`.`,
      details: { domain, problems: [...problems] },
    },
  );
}
