/**
 * Work under a key happens once in 24 hours: the same request gets the first answer again, another one is
 * refused. When the process died half-way nobody knows whether it took effect, so it is never repeated.
 */

import { type ErrorKind, ProductError } from "../base/errors.ts";
import { hashJson } from "../base/hash.ts";
import {
  beginIdempotent,
  deleteIdempotentBefore,
  finishIdempotent,
  forgetIdempotent,
} from "../store/idempotency.ts";
import type { Kernel } from "./kernel.ts";

const IDEMPOTENCY_MS = 24 * 60 * 60_000;

export interface KeyedRequest {
  readonly principal: string;
  readonly route: string;
  readonly key: string;
  readonly request: unknown;
  readonly isAnswerSecret?: boolean | undefined;
}

export async function runOnce(
  kernel: Kernel,
  { principal, route, key, request, isAnswerSecret }: KeyedRequest,
  work: () => Promise<unknown>,
): Promise<unknown> {
  checkKey(key);
  const { store, clock } = kernel;
  const keyed = { principal, route, key, requestHash: hashJson(request) };
  const now = clock.now();
  const start = await store.write(function* () {
    yield* deleteIdempotentBefore(now - IDEMPOTENCY_MS);
    return yield* beginIdempotent(keyed, now);
  });
  if (start.kind === "done") return replay(start.response);
  if (start.kind === "running") throw stillRunning(key, start.since);

  const answer = await settle(work);
  if (answer.kind === "transient") {
    await store.write(() => forgetIdempotent(keyed));
    throw answer.error;
  }
  const kept = isAnswerSecret && answer.kind === "done" ? NOT_KEPT : answer;
  await store.write(() => finishIdempotent(keyed, stored(kept), clock.now()));
  if (answer.kind === "failed") throw answer.error;
  return answer.output;
}

type Answer =
  | { readonly kind: "done"; readonly output: unknown }
  | { readonly kind: "failed"; readonly error: ProductError }
  | { readonly kind: "transient"; readonly error: unknown };

/** What a second request under the key hears instead of the secret. */
const NOT_KEPT: Answer & { readonly kind: "failed" } = {
  kind: "failed",
  error: new ProductError(
    "answer_not_kept",
    "This was done before, and its answer was a secret shown once.",
    {
      kind: "conflict",
      hint: "If the answer was lost, make another one and revoke the first.",
    },
  ),
};

/** Failures that the same request may well not meet again; keeping them would make the key useless. */
const TRANSIENT: ReadonlySet<ErrorKind> = new Set([
  "unauthenticated",
  "waiting",
  "limit",
  "budget",
  "provider",
  "unavailable",
]);

async function settle(work: () => Promise<unknown>): Promise<Answer> {
  try {
    return { kind: "done", output: await work() };
  } catch (error) {
    const isFinal = error instanceof ProductError && !TRANSIENT.has(error.kind);
    return isFinal ? { kind: "failed", error } : { kind: "transient", error };
  }
}

interface StoredAnswer {
  readonly output?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly kind: ErrorKind;
    readonly hint?: string;
    readonly details: Readonly<Record<string, unknown>>;
  };
}

function stored(answer: Exclude<Answer, { kind: "transient" }>) {
  if (answer.kind === "done") {
    return { statusCode: 200, response: JSON.stringify({ output: answer.output }) };
  }
  const { code, message, kind, hint, details } = answer.error;
  return {
    statusCode: 400,
    response: JSON.stringify({ error: { code, message, kind, hint, details } }),
  };
}

function replay(response: string): unknown {
  const { output, error } = JSON.parse(response) as StoredAnswer;
  if (error === undefined) return output;
  const { code, message, ...options } = error;
  throw new ProductError(code, message, options);
}

function checkKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new ProductError(
    "idempotency_key_invalid",
    "An idempotency key has 1 to 255 letters, digits or signs, without spaces.",
    { hint: "A random UUID serves well." },
  );
}

function stillRunning(key: string, since: number): ProductError {
  return new ProductError(
    "idempotency_key_running",
    `The request with the key "${key}" has not finished yet.`,
    {
      kind: "conflict",
      hint: "Ask again in a moment. If the program was stopped meanwhile, look whether it took effect before using a new key.",
      details: { since },
    },
  );
}
