/** Candidates as they are kept. */

import type { Json } from "../../../kernel/base/json.ts";
import { fromJsonTextOrNull } from "../../../kernel/store/cells.ts";
import { storableText } from "../../../kernel/store/storable-text.ts";
import type { CandidateStatus, CandidateTable, Outcome } from "./harvest-tables.ts";
import type { ExistingRef, Match } from "./matching/match-candidate.ts";
import type { MatchKind } from "./matching/match-kinds.ts";
import type { CandidateType } from "./reading/candidate-types.ts";

export interface Candidate {
  readonly number: number;
  readonly type: CandidateType;
  readonly title: string | undefined;
  readonly text: string;
  readonly isBlocker: boolean;
  readonly isOpenLoop: boolean;
  readonly quote: Quote;
  readonly replaces: string | undefined;
  readonly match: KeptMatch;
  readonly status: CandidateStatus;
  readonly made: Made | undefined;
}

/** The words it was read from, and where they stand: in the answer, or in the message. */
export interface Quote {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly messageId: string | undefined;
}

export interface KeptMatch {
  readonly kind: MatchKind;
  readonly with: ExistingRef | undefined;
  readonly reason: string;
}

/** What came of accepting it. */
export interface Made extends ExistingRef {
  readonly outcome: Outcome;
  readonly hash: string | undefined;
  readonly undo: Json | undefined;
}

export interface NewCandidate {
  readonly type: CandidateType;
  readonly title: string | undefined;
  readonly text: string;
  readonly isBlocker: boolean;
  readonly isOpenLoop: boolean;
  readonly quote: Quote;
  readonly replaces?: string | undefined;
  readonly match: Match;
}

export function newCandidateRow(
  harvestId: string,
  number: number,
  candidate: NewCandidate,
): CandidateTable {
  const { quote, match } = candidate;
  return {
    harvest_id: harvestId,
    number,
    type: candidate.type,
    title: candidate.title === undefined ? null : storableText(candidate.title),
    body: storableText(candidate.text),
    is_blocker: candidate.isBlocker ? 1 : 0,
    is_open_loop: candidate.isOpenLoop ? 1 : 0,
    quote: storableText(quote.text),
    quote_start: quote.start,
    quote_end: quote.end,
    message_id: quote.messageId ?? null,
    replaces: candidate.replaces === undefined ? null : storableText(candidate.replaces),
    ...matchCells(match),
    status: "proposed",
    outcome: null,
    made_type: null,
    made_id: null,
    made_hash: null,
    undo: null,
    decided_by: null,
    decided_at: null,
  };
}

export function matchCells(match: KeptMatch) {
  return {
    match_kind: match.kind,
    match_type: match.with?.type ?? null,
    match_id: match.with?.id ?? null,
    match_reason: storableText(match.reason),
  };
}

/** As if nobody had decided about it. */
export const UNDECIDED = {
  status: "proposed",
  outcome: null,
  made_type: null,
  made_id: null,
  made_hash: null,
  undo: null,
  decided_by: null,
  decided_at: null,
} as const;

export function toCandidate(row: CandidateTable): Candidate {
  const { match_type: matchType, match_id: matchId } = row;
  const { outcome, made_type: madeType, made_id: madeId } = row;
  return {
    number: row.number,
    type: row.type,
    title: row.title ?? undefined,
    text: row.body,
    isBlocker: row.is_blocker === 1,
    isOpenLoop: row.is_open_loop === 1,
    quote: {
      text: row.quote,
      start: row.quote_start,
      end: row.quote_end,
      messageId: row.message_id ?? undefined,
    },
    replaces: row.replaces ?? undefined,
    match: {
      kind: row.match_kind,
      with: matchType === null || matchId === null ? undefined : { type: matchType, id: matchId },
      reason: row.match_reason,
    },
    status: row.status,
    made:
      outcome === null || madeType === null || madeId === null
        ? undefined
        : {
            outcome,
            type: madeType,
            id: madeId,
            hash: row.made_hash ?? undefined,
            undo: fromJsonTextOrNull(row.undo),
          },
  };
}
