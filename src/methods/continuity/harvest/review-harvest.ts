/**
 * Carries out a review, all of it in one transaction. Between reading and reviewing the project may have changed, so
 * every accepted candidate is compared once more: what turned out to be there already adds nothing, and what would
 * now change or contradict something the reviewer has not seen is shown to them first.
 */

import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import {
  isIdle,
  isRedacted,
  loadRedactionScope,
  maskDrawn,
} from "../../../kernel/store/redaction-scope.ts";
import { originOf } from "../../../kernel/store/search-sources.ts";
import { checkTransition } from "../packet/packet-states.ts";
import type { PacketStatus } from "../packet/packet-tables.ts";
import { getPacket } from "../packet/packets.ts";
import { type Candidate, type Made, matchCells } from "./candidates.ts";
import { matchScopeOf, readMadeSince, readThoughts } from "./existing-thoughts.ts";
import { type Harvest, listCandidates, tellHarvest, updateCandidate } from "./harvests.ts";
import {
  type Existing,
  type Match,
  type MatchingContext,
  matchCandidate,
  type PreparedThought,
  prepareThought,
} from "./matching/match-candidate.ts";
import { movePacketAlong } from "./packet-standing.ts";
import {
  type Choice,
  checkChoices,
  choicesFor,
  type Decided,
  edited,
  type ReviewChoices,
} from "./review-choices.ts";
import { createThought, linkThought, updateThought } from "./write-thought.ts";

export interface Review {
  readonly harvest: Harvest;
  readonly accepted: readonly { readonly number: number; readonly made: Made }[];
  readonly skipped: readonly number[];
  /** Not written: something changed since they were proposed, or they need a choice. */
  readonly lookAgain: readonly { readonly number: number; readonly reason: string }[];
  readonly packetStatus: PacketStatus | undefined;
}

export interface ReviewRequest {
  readonly harvest: Harvest;
  /** `all`: everything that is proposed and needs no choice. */
  readonly choices: ReviewChoices | "all";
  readonly context: MatchingContext;
  /** Thoughts that reviewers' own words may match, found before the transaction. */
  readonly known?: readonly PreparedThought[];
  readonly nextId: () => string;
}

export function* reviewHarvest(request: ReviewRequest, act: Act): DatabaseWork<Review> {
  const { harvest } = request;
  const candidates = yield* listCandidates(harvest.id);
  const choices = request.choices === "all" ? acceptAll(candidates) : request.choices;
  checkChoices(harvest.id, candidates, choices);
  yield* refuseAbandoned(harvest, choices);
  const settled = yield* settleAll(request, candidates, choices, act);
  const after = yield* tellHarvest(harvest.id, "reviewed", act);
  const packetStatus =
    harvest.packetId === undefined
      ? undefined
      : yield* movePacketAlong(harvest.packetId, act, { isUndo: false });
  const left = request.choices === "all" ? needingChoice(candidates) : [];
  return {
    harvest: after,
    accepted: settled.flatMap(({ number, made }) => (made === undefined ? [] : [{ number, made }])),
    skipped: settled.filter(({ isSkipped }) => isSkipped).map(({ number }) => number),
    lookAgain: [
      ...settled.flatMap(({ number, reason }) =>
        reason === undefined ? [] : [{ number, reason }],
      ),
      ...left,
    ].toSorted((a, b) => a.number - b.number),
    packetStatus,
  };
}

function acceptAll(candidates: readonly Candidate[]): ReviewChoices {
  const open = candidates.filter(({ status }) => status === "proposed");
  const plain = open.filter((candidate) => choicesFor(candidate).includes("accept"));
  return new Map(plain.map(({ number }) => [number, { choice: "accept" }]));
}

function needingChoice(candidates: readonly Candidate[]) {
  return candidates
    .filter((each) => each.status === "proposed" && !choicesFor(each).includes("accept"))
    .map(({ number, match }) => ({ number, reason: match.reason }));
}

function* refuseAbandoned({ packetId }: Harvest, choices: ReviewChoices): DatabaseWork<void> {
  if (packetId === undefined || choices.size === 0) return;
  const { status } = yield* getPacket(packetId, "everything");
  if (status === "abandoned") checkTransition(status, "harvested");
}

interface Settled {
  readonly number: number;
  readonly made?: Made;
  readonly isSkipped?: boolean;
  readonly reason?: string;
}

function* settleAll(
  request: ReviewRequest,
  candidates: readonly Candidate[],
  choices: ReviewChoices,
  act: Act,
): DatabaseWork<readonly Settled[]> {
  const { harvest, context, known = [] } = request;
  const chosen = candidates.filter(({ number }) => choices.has(number));
  const refs = chosen.flatMap(({ match }) => match.with ?? []);
  const matched = yield* readThoughts(refs, harvest.projectId);
  const since = yield* readMadeSince(matchScopeOf(harvest), harvest.matchedAt, context.words);
  const existing = uniqueById([
    ...[...matched.values()].map((thought) => prepareThought(thought, context.words)),
    ...since,
    ...known,
  ]);
  const settled: Settled[] = [];
  for (const candidate of chosen) {
    const decided = choices.get(candidate.number) ?? { choice: "skip" as const };
    const result = yield* settle(request, candidate, decided, existing, act);
    if (result.made !== undefined && result.made.outcome !== "linked") {
      const { type, id } = result.made;
      const now = (yield* readThoughts([{ type, id }], harvest.projectId)).get(id);
      if (now !== undefined) replaceById(existing, prepareThought(now, context.words));
    }
    settled.push(result);
  }
  return settled;
}

function* settle(
  request: ReviewRequest,
  candidate: Candidate,
  { choice, edit }: Decided,
  existing: readonly PreparedThought[],
  act: Act,
): DatabaseWork<Settled> {
  const { harvest } = request;
  const { number } = candidate;
  const decidedBy = { decided_by: act.actor, decided_at: act.now };
  if (choice === "skip") {
    yield* updateCandidate(harvest.id, number, { status: "skipped", ...decidedBy });
    return { number, isSkipped: true };
  }
  const wanted = edited(candidate, edit);
  const words = { title: wanted.title ?? null, body: wanted.text };
  if (yield* holdsRedacted(harvest, wanted)) {
    return { number, reason: "It holds something that was redacted since." };
  }
  const match = matchCandidate(wanted, existing, request.context);
  if (!isAsSeen(candidate, match, choice)) {
    yield* updateCandidate(harvest.id, number, {
      ...words,
      status: "proposed",
      ...matchCells(match),
    });
    return { number, reason: match.reason };
  }
  const made = yield* carryOut(request, wanted, match, choice, act);
  yield* updateCandidate(harvest.id, number, {
    ...words,
    ...matchCells(match),
    status: "accepted",
    outcome: made.outcome,
    made_type: made.type,
    made_id: made.id,
    made_hash: made.hash ?? null,
    undo: made.undo === undefined ? null : JSON.stringify(made.undo),
    ...decidedBy,
  });
  return { number, made };
}

/** Something new or known already surprises nobody; a change or a contradiction must have been seen. */
function isAsSeen({ match: seen }: Candidate, match: Match, choice: Choice): boolean {
  if (choice === "keep_both") return true;
  if (choice === "supersede")
    return match.kind === "contradicts" && match.with?.id === seen.with?.id;
  if (match.kind === "new" || match.kind === "duplicate") return true;
  return match.kind === seen.kind && match.with?.id === seen.with?.id;
}

function* carryOut(
  { harvest, nextId }: ReviewRequest,
  candidate: Candidate,
  match: Match,
  choice: Choice,
  act: Act,
): DatabaseWork<Made> {
  if (choice === "supersede") {
    return yield* createThought(nextId(), harvest, candidate, act, match.with?.id);
  }
  if (choice === "keep_both" || match.kind === "new" || match.with === undefined) {
    return yield* createThought(nextId(), harvest, candidate, act);
  }
  if (match.kind === "update" && match.changes !== undefined) {
    return yield* updateThought(match.with, match.changes, act);
  }
  return linkThought(match.with);
}

function* holdsRedacted(
  { projectId, conversationId }: Harvest,
  { title, text, quote }: Candidate,
): DatabaseWork<boolean> {
  const scope = yield* loadRedactionScope(projectId === undefined ? undefined : [projectId]);
  if (isIdle(scope)) return false;
  const origin = yield* originOf({
    conversation_id: conversationId ?? null,
    message_id: quote.messageId ?? null,
    source_type: null,
    source_id: null,
  });
  if (isRedacted(scope, origin)) return true;
  return [title ?? "", text, quote.text].some((words) => maskDrawn(scope, origin, words) !== words);
}

function uniqueById(thoughts: readonly PreparedThought[]): PreparedThought[] {
  return [...new Map(thoughts.map((thought) => [thought.id, thought])).values()];
}

function replaceById(thoughts: PreparedThought[], thought: PreparedThought): void {
  const at = thoughts.findIndex(({ id }: Existing) => id === thought.id);
  if (at === -1) thoughts.push(thought);
  else thoughts[at] = thought;
}
