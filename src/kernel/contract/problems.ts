/** Turns validation issues into sentences that tell a model, or a person, what to put right. */

import type * as z from "zod";
import { excerptOf } from "./ledger.ts";
import { nearMatches } from "./near-match.ts";
import { formatPath, isPlainObject, type Path, valueAt } from "./path.ts";
import type { Problem } from "./reading.ts";
import { branchesOf, jsonTypeOf, resolveShape, type Shape } from "./shape.ts";

type Issue = z.core.$ZodIssue;

export function problemsOf(error: z.ZodError, value: unknown, shape: Shape): Problem[] {
  return error.issues.flatMap((issue) => fromIssue(issue, [], value, shape));
}

function fromIssue(issue: Issue, prefix: Path, value: unknown, root: Shape): Problem[] {
  const path: Path = [
    ...prefix,
    ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part)),
  ];
  const where = formatPath(path);
  const name = where === "" ? "The reply" : `\`${where}\``;
  const received = valueAt(value, path);
  switch (issue.code) {
    case "invalid_type":
      return [wrongType(where, name, issue.expected, received)];
    case "invalid_value":
      return [notAllowed(where, name, issue.values, received, shapeAt(root, path))];
    case "too_big":
    case "too_small":
      return [
        {
          code: "out_of_range",
          path: where,
          message: `${name} ${rangeOf(issue)}, but is ${describe(received)}.`,
        },
      ];
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        code: "unexpected_key",
        path: formatPath([...path, key]),
        message: `\`${formatPath([...path, key])}\` is not part of this reply.`,
      }));
    case "invalid_union":
      return fromUnion(issue, path, value, root, name);
    case "invalid_format":
      return [
        {
          code: "wrong_format",
          path: where,
          message: `${name} must be a valid ${issue.format}, but is ${describe(received)}.`,
        },
      ];
    case "invalid_key":
    case "invalid_element":
      return issue.issues.flatMap((inner) => fromIssue(inner, path, value, root));
    default:
      return [{ code: "broken_rule", path: where, message: `${name}: ${issue.message}` }];
  }
}

function wrongType(path: string, name: string, expected: string, received: unknown): Problem {
  if (received === undefined) {
    return {
      code: "missing",
      path,
      message: `${name} is missing; it must be ${typeName(expected)}.`,
    };
  }
  // z.never() stands where a list of ids is empty.
  if (expected === "never") {
    return {
      code: "unknown_id",
      path,
      message: `${name} must not be given: nothing was listed that it could name.`,
    };
  }
  return {
    code: "wrong_type",
    path,
    message: `${name} must be ${typeName(expected)}, but is ${describe(received)}.`,
  };
}

function notAllowed(
  path: string,
  name: string,
  values: readonly unknown[],
  received: unknown,
  shape: Shape | undefined,
): Problem {
  const listed = values.map(String);
  if (received === undefined) {
    return {
      code: "missing",
      path,
      message: `${name} is missing; it must be one of ${list(listed)}.`,
    };
  }
  const suggestions = typeof received === "string" ? nearMatches(received, listed) : [];
  const nearest = suggestions.length === 0 ? "" : ` Did you mean ${suggestions.join(" or ")}?`;
  const noun = shape?.idsOf;
  const message =
    noun === undefined
      ? `${name} must be one of ${list(listed)}, but is ${describe(received)}.${nearest}`
      : `${name} names the ${noun} ${describe(received)}, which was not listed; allowed are ${list(listed)}.${nearest}`;
  return {
    code: noun === undefined ? "not_allowed" : "unknown_id",
    path,
    message,
    ...(suggestions.length === 0 ? {} : { suggestions }),
  };
}

/** The branch that came nearest, told by its fewest problems; the others would only confuse. */
function fromUnion(
  issue: Extract<Issue, { code: "invalid_union" }>,
  path: Path,
  value: unknown,
  root: Shape,
  name: string,
): Problem[] {
  if ("options" in issue && issue.options !== undefined) {
    return [notAllowed(formatPath(path), name, issue.options, valueAt(value, path), undefined)];
  }
  const branches = issue.errors.map((issues) =>
    issues.flatMap((inner) => fromIssue(inner, path, value, root)),
  );
  const [nearest] = branches.toSorted((a, b) => misses(a) - misses(b));
  if (nearest !== undefined && isPlainObject(valueAt(value, path))) return nearest;
  const message = `${name} fits none of the allowed forms; it is ${describe(valueAt(value, path))}.`;
  return [{ code: "wrong_type", path: formatPath(path), message }];
}

function misses(problems: readonly Problem[]): number {
  return problems.length + (problems.some(({ code }) => code === "not_allowed") ? 10 : 0);
}

function rangeOf(issue: Extract<Issue, { code: "too_big" | "too_small" }>): string {
  const unit = ["string", "array", "set"].includes(issue.origin)
    ? issue.origin === "string"
      ? " characters"
      : " items"
    : "";
  const verb = unit === "" ? "must be" : "must have";
  if (issue.exact)
    return `${verb} exactly ${issue.code === "too_big" ? issue.maximum : issue.minimum}${unit}`;
  if (issue.code === "too_big") {
    return `${verb} ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}${unit}`;
  }
  return `${verb} ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${unit}`;
}

const MOST_LISTED = 40;

function list(values: readonly string[]): string {
  const shown = values.slice(0, MOST_LISTED).join(", ");
  return values.length > MOST_LISTED ? `${shown} and ${values.length - MOST_LISTED} more` : shown;
}

function typeName(expected: string): string {
  const names: Record<string, string> = {
    string: "text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    tuple: "a list",
    object: "an object",
    record: "an object",
    null: "null",
    nonoptional: "given",
  };
  return names[expected] ?? expected;
}

function describe(value: unknown): string {
  switch (jsonTypeOf(value)) {
    case "undefined":
      return "absent";
    case "string":
      return `the text ${JSON.stringify(excerptOf(value))}`;
    case "array":
      return `a list of ${(value as unknown[]).length}`;
    case "object":
      return "an object";
    case "number": {
      const length = String(value);
      return `the number ${length}`;
    }
    default:
      return String(value);
  }
}

/** The shape that a path leads to, through references; of unions the first branch that knows the key. */
function shapeAt(root: Shape, path: Path): Shape | undefined {
  let candidates: Shape[] = [resolveShape(root, root)];
  for (const segment of path) {
    const next = candidates
      .flatMap((shape) => flatten(shape, root))
      .flatMap((shape) => {
        const inner =
          typeof segment === "number"
            ? (shape.prefixItems?.[segment] ?? shape.items)
            : (shape.properties?.[segment] ?? shape.additionalProperties);
        return typeof inner === "object" ? [resolveShape(inner, root)] : [];
      });
    candidates = next;
  }
  return (
    candidates.flatMap((shape) => flatten(shape, root)).find(({ idsOf }) => idsOf !== undefined) ??
    candidates[0]
  );
}

function flatten(shape: Shape, root: Shape): Shape[] {
  const branches = branchesOf(shape);
  if (branches === undefined) return [shape];
  return branches
    .map((branch) => resolveShape(branch, root))
    .flatMap((branch) => (branchesOf(branch) === undefined ? [branch] : []));
}
