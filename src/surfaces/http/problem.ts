/** Failures as RFC 9457 problems: the same codes as everywhere, never the insides of an unforeseen one. */

import { type ErrorKind, ProductError } from "../../kernel/base/errors.ts";
import { type InputProblem, problemsOf } from "../../kernel/operation/input-problems.ts";

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly kind: ErrorKind;
  readonly hint?: string;
  readonly errors?: readonly InputProblem[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId: string;
}

export const PROBLEM_TYPE = "application/problem+json; charset=utf-8";

const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  not_allowed: 403,
  not_found: 404,
  conflict: 409,
  waiting: 409,
  limit: 429,
  budget: 402,
  provider: 502,
  check_failed: 422,
  unavailable: 503,
  internal: 500,
};

/** Where HTTP has a more exact word than the kind gives. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  idempotency_key_reused: 422,
  json_too_large: 413,
  body_too_large: 413,
  upload_too_large: 413,
  precondition_failed: 412,
  method_not_allowed: 405,
};

const TITLES: Readonly<Record<ErrorKind, string>> = {
  invalid: "The request is not right",
  unauthenticated: "Not signed in",
  not_allowed: "Not allowed",
  not_found: "Not found",
  conflict: "Conflict",
  waiting: "Waiting for a person",
  limit: "Limit reached",
  budget: "Budget reached",
  provider: "The model provider failed",
  check_failed: "A check failed",
  unavailable: "Not available right now",
  internal: "Something went wrong here",
};

export function toProblem(error: unknown, requestId: string): Problem {
  if (!(error instanceof ProductError)) return unexpected(requestId);
  const { code, kind, hint, message } = error;
  const status = STATUS_OF_CODE[code] ?? STATUS_OF_KIND[kind];
  // Details of our own faults are for the log; the id in the answer finds them there.
  const isShown = kind !== "internal";
  const { errors: _, ...details } = error.details;
  const errors = isShown ? problemsOf(error) : [];
  return {
    ...problemHead(code, kind, status),
    detail: message,
    ...(hint === undefined ? {} : { hint }),
    ...(errors.length === 0 ? {} : { errors }),
    ...(isShown && Object.keys(details).length > 0 ? { details } : {}),
    requestId,
  };
}

/** A request refused for its shape, with the status the guard chose. */
export function toRefusalProblem(
  refusal: { readonly status: number; readonly code: string; readonly message: string },
  requestId: string,
): Problem {
  const { status, code, message } = refusal;
  return { ...problemHead(code, kindOfStatus(status), status), detail: message, requestId };
}

function kindOfStatus(status: number): ErrorKind {
  if (status === 401) return "unauthenticated";
  if (status === 403 || status === 421) return "not_allowed";
  if (status === 404) return "not_found";
  return status === 413 || status === 414 || status === 431 ? "limit" : "invalid";
}

function unexpected(requestId: string): Problem {
  return {
    ...problemHead("unexpected", "internal", 500),
    detail: "An unforeseen failure; nothing more is said here on purpose.",
    hint: "The log has the whole story under this request's id.",
    requestId,
  };
}

function problemHead(code: string, kind: ErrorKind, status: number) {
  return { type: `urn:throughline:problem:${code}`, title: TITLES[kind], status, code, kind };
}
