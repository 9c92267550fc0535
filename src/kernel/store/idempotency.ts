/**
 * Requests that carry a key happen once: the same key gives the same answer again. The answer is kept
 * beside the request's hash, so a key used for something else is refused instead of answered wrongly.
 *
 * Whoever performs the request owns the key for a while and says in the transactions of its work that it had an
 * effect. A key whose owner let that time pass is the next one's, who may do the work if it had none; the first
 * one then finds the key gone and its transaction undone.
 */

import { ProductError } from "../base/errors.ts";
import { type DatabaseWork, execute, query, queryFirst } from "./database-work.ts";
import { db } from "./query-builder.ts";

export interface IdempotentKey {
  readonly principal: string;
  readonly route: string;
  readonly key: string;
}

export interface IdempotentRequest extends IdempotentKey {
  readonly requestHash: string;
  /** Unique for each attempt to perform it. */
  readonly owner: string;
}

export type OwnedKey = Omit<IdempotentRequest, "requestHash">;

export interface IdempotentAnswer {
  readonly statusCode: number;
  readonly response: string;
}

export type IdempotentStart =
  /** Ours to perform until the lease ends; say `finishIdempotent` or `releaseIdempotent` afterwards. */
  | { readonly kind: "new" }
  | ({ readonly kind: "done" } & IdempotentAnswer)
  | { readonly kind: "running"; readonly since: number; readonly until: number }
  /** It took effect, but whoever performed it stopped before the answer was known. */
  | { readonly kind: "unanswered"; readonly since: number };

export function* beginIdempotent(
  request: IdempotentRequest,
  { now, until }: { readonly now: number; readonly until: number },
): DatabaseWork<IdempotentStart> {
  const { principal, route, key, requestHash, owner } = request;
  const [begun] = yield* query(
    db
      .insertInto("idempotency")
      .values({
        principal,
        route,
        key,
        request_hash: requestHash,
        state: "running",
        owner,
        leased_until: until,
        has_effect: 0,
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
  if (known === undefined) return { kind: "running", since: now, until: now };
  if (known.request_hash !== requestHash) {
    throw new ProductError(
      "idempotency_key_reused",
      `The key "${key}" was already used for a different request.`,
      { kind: "conflict", hint: "Use a fresh key for every new request." },
    );
  }
  const { state, created_at: since, leased_until: leasedUntil } = known;
  if (state === "done") {
    return { kind: "done", statusCode: known.status_code ?? 200, response: known.response ?? "" };
  }
  if (leasedUntil > now) return { kind: "running", since, until: leasedUntil };
  if (known.has_effect === 1) return { kind: "unanswered", since };
  const taken = yield* execute(
    updateOwned({ principal, route, key, owner: known.owner })
      .set({ owner, leased_until: until })
      .where("has_effect", "=", 0)
      .where("leased_until", "=", leasedUntil),
  );
  return taken === 1 ? { kind: "new" } : { kind: "running", since, until };
}

/**
 * Belongs into every transaction of the work: what it writes is there exactly if this is. With an answer the
 * key is done in the same commit. Throws when the key has passed to somebody else.
 */
export function* noteEffect(
  owned: OwnedKey,
  answer: IdempotentAnswer | undefined,
  now: number,
): DatabaseWork<void> {
  const noted = yield* execute(
    answer === undefined
      ? updateOwned(owned).set({ has_effect: 1, state: "running", response: null })
      : updateOwned(owned).set({ has_effect: 1, ...done(answer, now) }),
  );
  if (noted === 1) return;
  throw new ProductError(
    "idempotency_key_lost",
    `The request with the key "${owned.key}" was taken over while this one stood still.`,
    {
      kind: "conflict",
      hint: "Nothing was changed here; ask again with the same key for the other one's answer.",
    },
  );
}

/** Without effect when the key has passed to somebody else: that one's answer is kept. */
export function* finishIdempotent(
  owned: OwnedKey,
  answer: IdempotentAnswer,
  now: number,
): DatabaseWork<void> {
  yield* execute(updateOwned(owned).set(done(answer, now)));
}

/** False when the key has passed to somebody else. */
export function* renewIdempotent(owned: OwnedKey, until: number): DatabaseWork<boolean> {
  const renewed = yield* execute(updateOwned(owned).set({ leased_until: until }));
  return renewed === 1;
}

/** For a request that failed in passing: without effect the same key may try again, with one it may not. */
export function* releaseIdempotent(owned: OwnedKey): DatabaseWork<void> {
  const { principal, route, key, owner } = owned;
  const forgotten = yield* execute(
    db
      .deleteFrom("idempotency")
      .where("principal", "=", principal)
      .where("route", "=", route)
      .where("key", "=", key)
      .where("owner", "=", owner)
      .where("state", "=", "running")
      .where("has_effect", "=", 0),
  );
  if (forgotten === 0) yield* renewIdempotent(owned, 0);
}

/** When it is proven that nobody else is at work: all keys under way have lost their owners. */
export function* expireIdempotent(): DatabaseWork<void> {
  yield* execute(
    db.updateTable("idempotency").set({ leased_until: 0 }).where("state", "=", "running"),
  );
}

export function* deleteIdempotentBefore(before: number): DatabaseWork<number> {
  const rows = yield* query(
    db.deleteFrom("idempotency").where("created_at", "<", before).returning("key"),
  );
  return rows.length;
}

function updateOwned({ principal, route, key, owner }: OwnedKey) {
  return db
    .updateTable("idempotency")
    .where("principal", "=", principal)
    .where("route", "=", route)
    .where("key", "=", key)
    .where("owner", "=", owner);
}

function done({ statusCode, response }: IdempotentAnswer, now: number) {
  return { state: "done" as const, status_code: statusCode, response, finished_at: now };
}
