/** The envelopes of a run: which there are, one in full, and what changed since the one before. */

import { notFound } from "../../../kernel/base/errors.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import type { Step } from "../state/team-records.ts";
import { type TeamEnvelopeTable, teamTables } from "../state/team-tables.ts";
import { diffEnvelopes } from "./diff-envelopes.ts";

export interface EnvelopeWanted {
  readonly round?: number | undefined;
  readonly step?: Step | undefined;
  readonly member?: string | undefined;
  readonly target?: string | undefined;
  /** A beginning of the hash will do. */
  readonly hash?: string | undefined;
}

export function* listEnvelopes(runId: string, wanted: EnvelopeWanted) {
  const rows = yield* query(
    teamTables
      .selectFrom("team_envelope")
      .selectAll()
      .where("run_id", "=", runId)
      .orderBy("artifact_id"),
  );
  const matching = rows.filter(
    (row) =>
      (wanted.round === undefined || row.round === wanted.round) &&
      (wanted.step === undefined || row.step === wanted.step) &&
      (wanted.member === undefined || row.member_id === wanted.member) &&
      (wanted.target === undefined || row.target === wanted.target) &&
      (wanted.hash === undefined || row.hash.startsWith(wanted.hash)),
  );
  const isOne = matching.length === 1 || wanted.hash !== undefined;
  const chosen = isOne ? matching[0] : undefined;
  if (wanted.hash !== undefined && chosen === undefined) throw notFound("envelope", wanted.hash);
  return {
    envelopes: matching.map(lineOf),
    shown: chosen === undefined ? null : yield* showOne(runId, chosen, rows),
  };
}

function* showOne(runId: string, chosen: TeamEnvelopeTable, all: readonly TeamEnvelopeTable[]) {
  const place = all.indexOf(chosen);
  const before = all
    .slice(0, place)
    .findLast((row) => row.step === chosen.step && row.member_id === chosen.member_id);
  const body = yield* bodyOf(chosen.artifact_id);
  const older = before === undefined ? undefined : yield* bodyOf(before.artifact_id);
  const exchange = yield* queryFirst(
    db
      .selectFrom("exchange")
      .innerJoin("job", "job.id", "exchange.job_id")
      .select("exchange.id")
      .where("job.run_id", "=", runId)
      .where("job.key", "=", chosen.job_key)
      .orderBy("exchange.id"),
  );
  return {
    line: lineOf(chosen),
    body,
    exchangeId: exchange?.id ?? null,
    against: before === undefined ? null : lineOf(before),
    diff: older === undefined ? [] : [...diffEnvelopes(JSON.parse(older), JSON.parse(body))],
  };
}

function* bodyOf(artifactId: string): DatabaseWork<string> {
  const row = yield* queryFirst(
    db.selectFrom("artifact").select("body").where("id", "=", artifactId),
  );
  return row?.body ?? "";
}

function lineOf(row: TeamEnvelopeTable) {
  return {
    hash: row.hash,
    round: row.round,
    step: row.step as Step,
    memberId: row.member_id,
    target: row.target,
    artifactId: row.artifact_id,
    promptHash: row.prompt_hash,
    characters: row.characters,
    budget: row.budget,
    dropped: JSON.parse(row.dropped) as { slice: string; why: string }[],
  };
}
