/** What came out of reading a reply: a value that meets the contract, or why there is none. */

import type { Loss, Repair } from "./ledger.ts";
import type { Path } from "./path.ts";

/**
 * - `no_payload`: text, but nothing that could be the answer → ask again
 * - `invalid`: an answer that breaks the contract → name the failing fields
 * - `truncated`: an answer cut short → continue it
 * - `empty`: no text at all → give it more room; asking for better JSON would change nothing
 */
export type FailureKind = "no_payload" | "invalid" | "truncated" | "empty";

type ProblemCode =
  | "missing"
  | "wrong_type"
  | "not_allowed"
  | "unknown_id"
  | "out_of_range"
  | "wrong_format"
  | "unexpected_key"
  | "broken_rule"
  | "placeholder"
  | "syntax"
  | "would_lose_data"
  | "missing_section"
  | "unclosed_fence"
  | "too_large"
  | "too_deep"
  | "cut_short"
  | "no_payload"
  | "empty";

export interface Problem {
  readonly code: ProblemCode;
  readonly path: string;
  /** A whole sentence, fit to be shown to the model that is asked to correct it. */
  readonly message: string;
  readonly suggestions?: readonly string[];
}

/** The value that was being written when a reply was cut. */
export interface OpenLeaf {
  readonly path: Path;
  /** What had arrived of it, when it was a text. */
  readonly text?: string;
}

export type Reading<Value> = Accepted<Value> | Refused;

export interface Accepted<Value> {
  readonly ok: true;
  readonly value: Value;
  readonly repairs: readonly Repair[];
  readonly loss: Extract<Loss, "none" | "syntactic" | "coerced">;
}

export interface Refused {
  readonly ok: false;
  readonly failure: FailureKind;
  readonly problems: readonly Problem[];
  readonly repairs: readonly Repair[];
  readonly loss: Extract<Loss, "lossy" | "refused">;
  /** What could be read, without the leaf that was still open. Never valid by itself. */
  readonly partial?: unknown;
  readonly open?: OpenLeaf;
}

export function refused(
  failure: FailureKind,
  problems: readonly Problem[],
  rest: Partial<Pick<Refused, "repairs" | "partial" | "open">> = {},
): Refused {
  return {
    ok: false,
    failure,
    problems,
    repairs: rest.repairs ?? [],
    loss: rest.partial === undefined ? "refused" : "lossy",
    ...(rest.partial === undefined ? {} : { partial: rest.partial }),
    ...(rest.open === undefined ? {} : { open: rest.open }),
  };
}
