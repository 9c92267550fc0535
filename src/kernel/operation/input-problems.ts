/** What is wrong with an input, field by field, in words for whoever wrote it. */

import type { z } from "zod";
import { ProductError } from "../base/errors.ts";
import { nearMatches } from "../contract/near-match.ts";

export interface InputProblem {
  /** JSON pointer to the field, `""` for the whole. */
  readonly pointer: string;
  readonly message: string;
}

export function inputInvalid(problems: readonly InputProblem[]): ProductError {
  const [first] = problems;
  const where = first?.pointer ? ` at ${first.pointer}` : "";
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new ProductError(
    "input_invalid",
    `The input is not right${where}: ${first?.message ?? "unknown problem"}${more}.`,
    { details: { errors: problems } },
  );
}

/** The problems an error carries, wherever it was made. */
export function problemsOf(error: ProductError): readonly InputProblem[] {
  const { errors } = error.details;
  return Array.isArray(errors) ? errors : [];
}

export function toInputProblems(
  error: z.ZodError,
  knownFields: readonly string[],
): readonly InputProblem[] {
  return error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => unknownField(issue.path, key, knownFields))
      : [{ pointer: toPointer(issue.path), message: decapitalise(issue.message) }],
  );
}

export function toPointer(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

function unknownField(
  path: readonly PropertyKey[],
  key: string,
  knownFields: readonly string[],
): InputProblem {
  const [nearest] = path.length === 0 ? nearMatches(key, knownFields) : [];
  return {
    pointer: toPointer([...path, key]),
    message: `there is no such field${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`,
  };
}

function decapitalise(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
