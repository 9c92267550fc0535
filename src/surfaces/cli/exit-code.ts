/** What a script learns from how a command ended. The numbers are promises. */

import { type ErrorKind, ProductError } from "../../kernel/base/errors.ts";
import { toLocalError } from "./local-errors.ts";

export const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, "done"],
  [1, "failed"],
  [2, "wrong usage or input"],
  [3, "not found"],
  [4, "conflict"],
  [5, "not signed in or not allowed"],
  [6, "waiting for a person"],
  [7, "budget or limit reached"],
  [8, "provider or connection failed; may be tried again"],
  [9, "a check found problems"],
];

export const INTERRUPTED = 130;

const BY_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid: 2,
  unauthenticated: 5,
  not_allowed: 5,
  not_found: 3,
  conflict: 4,
  waiting: 6,
  limit: 7,
  budget: 7,
  provider: 8,
  unavailable: 8,
  check_failed: 9,
  internal: 1,
};

export function exitCodeOf(kind: ErrorKind | "ok"): number {
  return kind === "ok" ? 0 : BY_KIND[kind];
}

export function exitCodeOfError(thrown: unknown): number {
  const error = toLocalError(thrown);
  return error instanceof ProductError ? exitCodeOf(error.kind) : 1;
}
