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
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const what =
    first === undefined ? "unknown problem" : `${nameOf(first.pointer)}: ${first.message}`;
  return new ProductError("input_invalid", `The input is not right. ${what}${more}.`, {
    details: { errors: problems },
  });
}

/** `/fields/url` is `fields.url` to people. */
export function nameOf(pointer: string): string {
  return pointer === "" ? "All of it" : pointer.slice(1).replaceAll("/", ".");
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
      : [{ pointer: toPointer(issue.path), message: sayIssue(issue) }],
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

/** What a schema says in its own words stays; what the library says in its words is said in ours. */
function sayIssue(issue: z.core.$ZodIssue): string {
  if (!/^(?:Invalid|Too (?:small|big))\b/.test(issue.message)) return decapitalise(issue.message);
  switch (issue.code) {
    case "invalid_type":
      return issue.message.endsWith("received undefined")
        ? "is needed"
        : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must ${extent(issue.origin, "at least", Number(issue.minimum), issue.inclusive)}`;
    case "too_big":
      return `must ${extent(issue.origin, "at most", Number(issue.maximum), issue.inclusive)}`;
    default:
      return decapitalise(issue.message);
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const COUNTED: Readonly<Record<string, string>> = { string: "character", array: "entry" };

function extent(
  origin: string,
  bound: "at least" | "at most",
  limit: number,
  isInclusive: boolean | undefined,
): string {
  const counted = COUNTED[origin];
  if (counted === undefined) {
    const other = bound === "at least" ? "more than" : "less than";
    return `be ${isInclusive === false ? other : bound} ${limit}`;
  }
  if (bound === "at least" && limit === 1) return "not be empty";
  const many = counted === "entry" ? "entries" : `${counted}s`;
  return `have ${bound} ${limit} ${limit === 1 ? counted : many}`;
}

function decapitalise(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
