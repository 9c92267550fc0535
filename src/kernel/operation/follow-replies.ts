/**
 * Replies as they arrive. What a call receives is written down in beats while it is under way; whoever may read the
 * exchange gets those pieces, with the place where each begins, and can go on from any place. Redactions hold for
 * pieces as they do for the whole, and rights are looked at again as long as somebody reads.
 */

import type { Clock } from "../base/clock.ts";
import { type DatabaseWork, query, queryFirst } from "../store/database-work.ts";
import type { AnswerOutcome } from "../store/engine-tables.ts";
import { findPlace } from "../store/find-place.ts";
import { db } from "../store/query-builder.ts";
import { loadRedactionScope, maskGrowing, type RedactionScope } from "../store/redaction-scope.ts";
import { resolveId } from "../store/resolve-id.ts";
import type { Store } from "../store/store.ts";
import type { Caller } from "./caller.ts";
import { requireRightOn } from "./project-rights.ts";

/** An exchange and how much of its reply is known to the reader already, in UTF-16 units. */
export interface ReplyPlace {
  readonly exchangeId: string;
  readonly offset: number;
}

export type ReplyNews =
  | {
      readonly kind: "progressed";
      readonly exchangeId: string;
      readonly offset: number;
      readonly text: string;
      /** Where the next piece begins; the reader goes on from here. */
      readonly next: number;
    }
  | {
      readonly kind: "finished";
      readonly exchangeId: string;
      readonly outcome: AnswerOutcome;
      readonly finish: string | null;
    };

export interface FollowRepliesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly places: readonly ReplyPlace[];
  /** Who reads, now. Throwing ends the reading. */
  readonly reader: () => Promise<Caller>;
  /** At the latest after this time something comes, if need be nothing. */
  readonly idleMs: number;
}

/** As often as pieces are written down. */
const BEAT_MS = 250;
const RECHECK_MS = 1000;

/** The whole ids; throws for what the caller does not see or may not read the words of. */
export function* resolveReplies(
  places: readonly ReplyPlace[],
  caller: Caller,
): DatabaseWork<readonly ReplyPlace[]> {
  const resolved: ReplyPlace[] = [];
  for (const { exchangeId: given, offset } of places) {
    const exchangeId = yield* resolveId("exchange", given, caller);
    yield* requireRightOn(caller, yield* findPlace("exchange", exchangeId), "answer");
    resolved.push({ exchangeId, offset });
  }
  return resolved;
}

/** Ends when all of them have. */
export async function* followReplies(
  options: FollowRepliesOptions,
): AsyncGenerator<readonly ReplyNews[], void> {
  const { store, clock, signal, idleMs, reader } = options;
  let open: readonly Following[] = options.places.map(startFollowing);
  let checkedAt = Number.NEGATIVE_INFINITY;
  let quietSince = clock.elapsed();
  while (open.length > 0 && !signal.aborted) {
    const isDue = clock.elapsed() - checkedAt > RECHECK_MS;
    const caller = isDue ? await reader() : undefined;
    const looked = await store.read(() => look(open, caller));
    if (isDue) checkedAt = clock.elapsed();
    open = looked.open;
    if (looked.news.length > 0 || clock.elapsed() - quietSince >= idleMs) {
      yield looked.news;
      quietSince = clock.elapsed();
    }
    if (open.length > 0) await clock.sleep(BEAT_MS, signal);
  }
}

interface Following extends ReplyPlace {
  readonly received: string;
  readonly lastPiece: number;
  readonly scope: RedactionScope | undefined;
}

function startFollowing(place: ReplyPlace): Following {
  return { ...place, received: "", lastPiece: 0, scope: undefined };
}

/** With a caller, rights and redactions are looked at anew. */
function* look(
  following: readonly Following[],
  caller: Caller | undefined,
): DatabaseWork<{ readonly open: readonly Following[]; readonly news: readonly ReplyNews[] }> {
  if (caller !== undefined) yield* resolveReplies(following, caller);
  const news: ReplyNews[] = [];
  const open: Following[] = [];
  for (const one of following) {
    const scope = caller === undefined ? one.scope : undefined;
    const looked = yield* lookAtOne({ ...one, scope: scope ?? (yield* scopeOf(one.exchangeId)) });
    news.push(...looked.news);
    if (looked.goesOn !== undefined) open.push(looked.goesOn);
  }
  return { open, news };
}

function* lookAtOne(one: Following & { readonly scope: RedactionScope }): DatabaseWork<{
  readonly news: readonly ReplyNews[];
  readonly goesOn: Following | undefined;
}> {
  const { exchangeId, scope, offset } = one;
  const answer = yield* queryFirst(
    db
      .selectFrom("answer")
      .select(["outcome", "reply", "finish"])
      .where("exchange_id", "=", exchangeId),
  );
  if (answer !== undefined) {
    const { outcome, finish } = answer;
    const rest = maskGrowing(scope, answer.reply ?? "", { from: offset, isWhole: true });
    const end = { kind: "finished" as const, exchangeId, outcome, finish };
    return { news: [...pieceOf(one, rest), end], goesOn: undefined };
  }
  const pieces = yield* query(
    db
      .selectFrom("delta")
      .select(["id", "body"])
      .where("exchange_id", "=", exchangeId)
      .where("id", ">", one.lastPiece)
      .orderBy("id"),
  );
  const received = one.received + pieces.map(({ body }) => body).join("");
  const lastPiece = pieces.at(-1)?.id ?? one.lastPiece;
  const piece = maskGrowing(scope, received, { from: offset, isWhole: false });
  return {
    news: pieceOf(one, piece),
    goesOn: { ...one, received, lastPiece, offset: piece.next },
  };
}

function pieceOf(
  { exchangeId, offset }: ReplyPlace,
  { text, next }: { readonly text: string; readonly next: number },
): readonly ReplyNews[] {
  return text === "" ? [] : [{ kind: "progressed", exchangeId, offset, text, next }];
}

function* scopeOf(exchangeId: string): DatabaseWork<RedactionScope> {
  const { projectId } = yield* findPlace("exchange", exchangeId);
  return yield* loadRedactionScope(projectId === undefined ? undefined : [projectId]);
}
