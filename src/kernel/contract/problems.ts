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
  const place = placeOf(path, valueAt(value, path));
  switch (issue.code) {
    case "invalid_type":
      return [wrongType(place, issue.expected)];
    case "invalid_value":
      return [notAllowed(place, issue.values, shapeAt(root, path)?.idsOf)];
    case "too_big":
    case "too_small":
      return [
        problem("out_of_range", place, `${rangeOf(issue)}, but is ${describe(place.received)}.`),
      ];
    case "unrecognized_keys":
      return issue.keys.map((key) =>
        problem("unexpected_key", placeOf([...path, key], undefined), "is not part of this reply."),
      );
    case "invalid_union":
      return fromUnion(issue, path, value, root);
    case "invalid_format":
      return [
        problem(
          "wrong_format",
          place,
          `must be a valid ${issue.format}, but is ${describe(place.received)}.`,
        ),
      ];
    case "invalid_key":
    case "invalid_element":
      return issue.issues.flatMap((inner) => fromIssue(inner, path, value, root));
    default:
      return [problem("broken_rule", place, `breaks a rule: ${issue.message}.`)];
  }
}

interface Place {
  readonly path: string;
  readonly name: string;
  readonly received: unknown;
}

function placeOf(path: Path, received: unknown): Place {
  const where = formatPath(path);
  return { path: where, name: where === "" ? "The reply" : `\`${where}\``, received };
}

function problem(code: Problem["code"], { path, name }: Place, clause: string): Problem {
  return { code, path, message: `${name} ${clause}` };
}

function wrongType(place: Place, expected: string): Problem {
  if (place.received === undefined) {
    return problem("missing", place, `is missing; it must be ${typeName(expected)}.`);
  }
  // z.never() stands where a list of ids is empty.
  if (expected === "never") {
    return problem(
      "unknown_id",
      place,
      "must not be given: nothing was listed that it could name.",
    );
  }
  return problem(
    "wrong_type",
    place,
    `must be ${typeName(expected)}, but is ${describe(place.received)}.`,
  );
}

function notAllowed(place: Place, values: readonly unknown[], noun: string | undefined): Problem {
  const listed = values.map(String);
  const { received } = place;
  if (received === undefined) {
    return problem("missing", place, `is missing; it must be one of ${list(listed)}.`);
  }
  const suggestions = typeof received === "string" ? nearMatches(received, listed) : [];
  const nearest = suggestions.length === 0 ? "" : ` Did you mean ${suggestions.join(" or ")}?`;
  const told =
    noun === undefined
      ? problem(
          "not_allowed",
          place,
          `must be one of ${list(listed)}, but is ${describe(received)}.${nearest}`,
        )
      : problem(
          "unknown_id",
          place,
          `names the ${noun} ${describe(received)}, which was not listed; allowed are ${list(listed)}.${nearest}`,
        );
  return suggestions.length === 0 ? told : { ...told, suggestions };
}

/** The branch that came nearest, told by its fewest problems; the others would only confuse. */
function fromUnion(
  issue: Extract<Issue, { code: "invalid_union" }>,
  path: Path,
  value: unknown,
  root: Shape,
): Problem[] {
  const place = placeOf(path, valueAt(value, path));
  if ("options" in issue && issue.options !== undefined) {
    return [notAllowed(place, issue.options, undefined)];
  }
  const branches = issue.errors.map((issues) =>
    issues.flatMap((inner) => fromIssue(inner, path, value, root)),
  );
  // Of `X or null` the X is meant: a value of the right type that breaks a rule says more than a wrong type.
  const near = branches.filter((problems) => problems.every(({ code }) => code !== "wrong_type"));
  const candidates = isPlainObject(place.received) && near.length === 0 ? branches : near;
  const [nearest] = candidates.toSorted((a, b) => misses(a) - misses(b));
  if (nearest !== undefined) return nearest;
  return [
    problem(
      "wrong_type",
      place,
      `fits none of the allowed forms; it is ${describe(place.received)}.`,
    ),
  ];
}

function misses(problems: readonly Problem[]): number {
  return problems.length + (problems.some(({ code }) => code === "not_allowed") ? 10 : 0);
}

function rangeOf(issue: Extract<Issue, { code: "too_big" | "too_small" }>): string {
  const isTooBig = issue.code === "too_big";
  const bound = isTooBig ? issue.maximum : issue.minimum;
  const [verb, unit] = ["array", "set"].includes(issue.origin)
    ? ["must have", " items"]
    : issue.origin === "string"
      ? ["must have", " characters"]
      : ["must be", ""];
  if (issue.exact) return `${verb} exactly ${bound}${unit}`;
  const [reach, limit] = isTooBig ? ["at most", "less than"] : ["at least", "more than"];
  return `${verb} ${issue.inclusive === false ? limit : reach} ${bound}${unit}`;
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
    case "number":
      return `the number ${String(value)}`;
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
