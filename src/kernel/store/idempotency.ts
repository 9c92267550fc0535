/**
 * Requests that carry a key happen once: the same key gives the same answer again. The answer is kept
 * beside the request's hash, so a key used for something else is refused instead of answered wrongly.
 */

import { ProductError } from "../base/errors.ts";
import { type DatabaseWork, execute, query, queryFirst } from "./database-work.ts";
import { db } from "./query-builder.ts";

export interface IdempotentRequest {
  readonly principal: string;
  readonly route: string;
  readonly key: string;
  readonly requestHash: string;
}

export type IdempotentStart =
  /** Ours to perform; say `finishIdempotent` or `forgetIdempotent` afterwards. */
  | { readonly kind: "new" }
  | { readonly kind: "done"; readonly statusCode: number; readonly response: string }
  /** Somebody else performs it, or stopped half-way: whether it happened is not known. */
  | { readonly kind: "running"; readonly since: number };

export function* beginIdempotent(
  request: IdempotentRequest,
  now: number,
): DatabaseWork<IdempotentStart> {
  const { principal, route, key, requestHash } = request;
  const [begun] = yield* query(
    db
      .insertInto("idempotency")
      .values({
        principal,
        route,
        key,
        request_hash: requestHash,
        state: "running",
        status_code: null,
        response: null,
        created_at: now,
        finished_at: null,
      })
      .onConflict((conflict) => conflict.columns(["principal", "route", "key"]).doNothing())
      .returning("key"),
  );
  if (begun !== undefined) return { kind: "new" };
  const known = yield* queryFirst(
    db
      .selectFrom("idempotency")
      .selectAll()
      .where("principal", "=", principal)
      .where("route", "=", route)
      .where("key", "=", key),
  );
  // Forgotten between the two statements: the caller may simply try again.
  if (known === undefined) return { kind: "running", since: now };
  if (known.request_hash !== requestHash) {
    throw new ProductError(
      "idempotency_key_reused",
      `The key "${key}" was already used for a different request.`,
      { kind: "conflict", hint: "Use a fresh key for every new request." },
    );
  }
  if (known.state === "running") return { kind: "running", since: known.created_at };
  return { kind: "done", statusCode: known.status_code ?? 200, response: known.response ?? "" };
}

export function* finishIdempotent(
  { principal, route, key }: Omit<IdempotentRequest, "requestHash">,
  answer: { readonly statusCode: number; readonly response: string },
  now: number,
): DatabaseWork<void> {
  const finished = yield* execute(
    db
      .updateTable("idempotency")
      .set({
        state: "done",
        status_code: answer.statusCode,
        response: answer.response,
        finished_at: now,
      })
      .where("principal", "=", principal)
      .where("route", "=", route)
      .where("key", "=", key)
      .where("state", "=", "running"),
  );
  if (finished === 1) return;
  throw new ProductError(
    "idempotency_not_running",
    `No request with the key "${key}" is running.`,
    {
      kind: "internal",
    },
  );
}

/** For a request that failed without effect: the same key may try again. */
export function* forgetIdempotent({
  principal,
  route,
  key,
}: Omit<IdempotentRequest, "requestHash">): DatabaseWork<void> {
  yield* execute(
    db
      .deleteFrom("idempotency")
      .where("principal", "=", principal)
      .where("route", "=", route)
      .where("key", "=", key)
      .where("state", "=", "running"),
  );
}

export function* deleteIdempotentBefore(before: number): DatabaseWork<number> {
  const rows = yield* query(
    db.deleteFrom("idempotency").where("created_at", "<", before).returning("key"),
  );
  return rows.length;
}
