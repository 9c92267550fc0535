/**
 * Work under a key happens once in 24 hours: the same request gets the first answer again, another one is refused.
 *
 * What the work writes to the store and the note that it did so are one commit; so is its answer, as soon as what
 * a transaction gives is an answer of the promised shape. Whoever works owns the key for some seconds at a time.
 * After a process died, the next request with the key therefore
 *  - does the work, if nothing was written yet: at once in an embedded workspace that is started again, else when
 *    the owner's seconds are over, until which it hears that the first one is still running;
 *  - gets the answer, if it was known; or hears that it took effect and is not done again.
 * A process that only stood still finds the key taken and its transaction undone. What is written elsewhere than
 * in the store (settings files, backups) is not covered: it may be done twice.
 */

import type { z } from "zod";
import { type ErrorKind, ProductError } from "../base/errors.ts";
import { hashJson } from "../base/hash.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import {
  beginIdempotent,
  deleteIdempotentBefore,
  finishIdempotent,
  type IdempotentAnswer,
  noteEffect,
  type OwnedKey,
  releaseIdempotent,
  renewIdempotent,
} from "../store/idempotency.ts";
import type { Kernel } from "./kernel.ts";

const IDEMPOTENCY_MS = 24 * 60 * 60_000;
const LEASE_MS = 10_000;
const RENEW_MS = 3000;

export interface KeyedRequest {
  readonly principal: string;
  readonly route: string;
  readonly key: string;
  readonly request: unknown;
  /** What an answer looks like. */
  readonly output: z.ZodType;
  readonly isAnswerSecret?: boolean | undefined;
}

/** `work` gets a kernel whose transactions carry the key; `check` makes an answer of what it gives, or throws. */
export async function runOnce(
  kernel: Kernel,
  keyed: KeyedRequest,
  work: (kernel: Kernel) => Promise<unknown>,
  check: (given: unknown) => unknown,
): Promise<unknown> {
  checkKey(keyed.key);
  const { store, clock } = kernel;
  const { principal, route, key, request } = keyed;
  const owned: OwnedKey = { principal, route, key, owner: kernel.ids.next() };
  const now = clock.now();
  const start = await store.write(function* () {
    yield* deleteIdempotentBefore(now - IDEMPOTENCY_MS);
    const begun = { ...owned, requestHash: hashJson(request) };
    return yield* beginIdempotent(begun, { now, until: now + LEASE_MS });
  });
  if (start.kind === "done") return replay(start.response);
  if (start.kind === "running") throw stillRunning(key, start.since, start.until - now);
  if (start.kind === "unanswered") throw unanswered(key, start.since);

  const stopRenewing = keepOwning(kernel, owned);
  const carrier = carryKey(kernel, owned, keyed);
  const answer = await settle(async () => {
    const given = await work(carrier.kernel);
    return carrier.findCommitted(given) ?? { output: check(given), isKept: false };
  });
  stopRenewing();
  carrier.stop();
  if (answer.kind === "transient") {
    await store.write(() => releaseIdempotent(owned));
    throw answer.error;
  }
  if (answer.kind === "failed" || !answer.isKept) {
    await store.write(() => finishIdempotent(owned, stored(keyed, answer), clock.now()));
  }
  if (answer.kind === "failed") throw answer.error;
  return answer.output;
}

interface Given {
  readonly output: unknown;
  /** Whether it was committed with the work itself. */
  readonly isKept: boolean;
}

type Answer =
  | ({ readonly kind: "done" } & Given)
  | { readonly kind: "failed"; readonly error: ProductError }
  | { readonly kind: "transient"; readonly error: unknown };

interface KeyCarrier {
  readonly kernel: Kernel;
  /** The answer, if what the work gave is what its only transaction gave. */
  findCommitted(given: unknown): Given | undefined;
  /** Whoever still holds the kernel writes without the key from now on. */
  stop(): void;
}

function carryKey(kernel: Kernel, owned: OwnedKey, keyed: KeyedRequest): KeyCarrier {
  const { store, clock } = kernel;
  const committed: { readonly given: unknown; readonly output: unknown }[] = [];
  let isOn = true;
  const write = async <Result>(work: () => DatabaseWork<Result>): Promise<Result> => {
    if (!isOn) return store.write(work);
    const outcome = await store.write(function* () {
      const given = yield* work();
      const { success, data: output } = keyed.output.safeParse(given);
      const answer = success ? stored(keyed, { kind: "done", output, isKept: true }) : undefined;
      yield* noteEffect(owned, answer, clock.now());
      return { given, output, success };
    });
    if (outcome.success) committed.push(outcome);
    return outcome.given;
  };
  return {
    kernel: { ...kernel, store: { ...store, write } },
    findCommitted(given) {
      const [only, another] = committed;
      if (only === undefined || another !== undefined || only.given !== given) return undefined;
      return { output: only.output, isKept: true };
    },
    stop: () => {
      isOn = false;
    },
  };
}

/** Quick work never renews. Where the store is away, the key passes on and our own transactions fail. */
function keepOwning({ store, clock }: Kernel, owned: OwnedKey): () => void {
  const stopping = new AbortController();
  const renew = async () => {
    for (;;) {
      await clock.sleep(RENEW_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      const until = clock.now() + LEASE_MS;
      await store.write(() => renewIdempotent(owned, until)).catch(() => undefined);
    }
  };
  void renew();
  return () => stopping.abort();
}

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

async function settle(work: () => Promise<Given>): Promise<Answer> {
  try {
    return { kind: "done", ...(await work()) };
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

function stored(
  { isAnswerSecret }: KeyedRequest,
  given: Exclude<Answer, { kind: "transient" }>,
): IdempotentAnswer {
  const answer = isAnswerSecret && given.kind === "done" ? NOT_KEPT : given;
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

function stillRunning(key: string, since: number, leftMs: number): ProductError {
  return new ProductError(
    "idempotency_key_running",
    `The request with the key "${key}" has not finished yet.`,
    {
      kind: "conflict",
      hint: "Ask again in a moment: if the program was stopped meanwhile, it is then done anew.",
      details: { since, retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)) },
    },
  );
}

function unanswered(key: string, since: number): ProductError {
  return new ProductError(
    "idempotency_answer_lost",
    `The request with the key "${key}" took effect, but the program was stopped before it could answer.`,
    {
      kind: "conflict",
      hint: "Look at what it did before you ask again with a fresh key.",
      details: { since },
    },
  );
}
