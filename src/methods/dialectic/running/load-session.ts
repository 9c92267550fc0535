/** A session as work needs it: what it is, its domain, what has been made so far. */

import { notFound } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import type { Identity } from "../planning/identity.ts";
import type { ArtifactFact, FeedbackFact, InputRef, SeedFact } from "../planning/plan-stage.ts";
import type { Topology } from "../planning/topology.ts";
import type { OverlayValues } from "../recipe/domain-file.ts";
import { findOpened, openPinned, type PinnedDomain } from "../recipe/pinned-domain.ts";
import { type ArtifactTable, dialectic, type SessionTable } from "./dialectic-tables.ts";

export interface Session extends PinnedDomain {
  readonly row: SessionTable;
  readonly runId: string;
  readonly projectId: string | null;
  readonly title: string;
  /** The model of slot n is at n - 1. */
  readonly slots: readonly string[];
  readonly topology: Topology;
  /** System < domain < project < session. */
  readonly overlays: OverlayValues;
}

export function* loadSession(runId: string): DatabaseWork<Session> {
  const row = yield* queryFirst(
    dialectic.selectFrom("dialectic_session").selectAll().where("run_id", "=", runId),
  );
  if (row === undefined) throw notFound("dialectic", runId);
  const run = yield* queryFirst(
    dialectic.selectFrom("run").select(["project_id", "title"]).where("id", "=", runId),
  );
  const pinned = findOpened(row.recipe_hash) ?? (yield* loadPinned(row.recipe_hash));
  const slots = JSON.parse(row.slots) as readonly string[];
  return {
    ...pinned,
    row,
    runId,
    projectId: run?.project_id ?? null,
    title: run?.title ?? "",
    slots,
    topology: { slots: slots.length, reviewers: row.reviewers ?? undefined },
    // What a project lays over its sessions was laid in when the session began.
    overlays: { ...pinned.domain.overlays, ...(JSON.parse(row.overlays) as OverlayValues) },
  };
}

function* loadPinned(hash: string): DatabaseWork<PinnedDomain> {
  const row = yield* queryFirst(
    dialectic.selectFrom("dialectic_recipe").selectAll().where("hash", "=", hash),
  );
  if (row === undefined) throw notFound("recipe", hash);
  return openPinned(row);
}

const FACTS = [
  "id",
  "kind",
  "stage",
  "step",
  "document_key",
  "slot",
  "lineage",
  "match",
  "iteration",
  "hash",
  "state",
  "inputs",
] as const;

export interface SessionFacts {
  readonly artifacts: readonly ArtifactFact[];
  /** The seed of each stage and iteration, by `stage/iteration`. */
  readonly seeds: ReadonlyMap<string, SeedFact>;
  readonly feedback: readonly FeedbackFact[];
  readonly request: SeedFact;
}

/** Everything but contents. */
export function* loadFacts({ runId, row }: Session): DatabaseWork<SessionFacts> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .select(FACTS)
      .where("run_id", "=", runId)
      .where("state", "<>", "superseded")
      .orderBy("id"),
  );
  const feedback = yield* query(
    dialectic
      .selectFrom("dialectic_feedback")
      .select(["id", "hash", "stage", "step", "document_key", "slot", "lineage", "match"])
      .where("run_id", "=", runId)
      .where("state", "=", "open")
      .orderBy("id"),
  );
  return {
    artifacts: rows.filter(({ kind }) => kind !== "seed").map(toFact),
    seeds: new Map(
      rows
        .filter(({ kind }) => kind === "seed")
        .map(({ id, hash, stage, iteration }) => [`${stage}/${iteration}`, { id, hash }]),
    ),
    feedback: feedback.map((each) => ({
      ...identityOf(each),
      id: each.id,
      documentKey: each.document_key,
      hash: each.hash,
    })),
    request: { id: `request:${runId}`, hash: hashText(row.request) },
  };
}

function toFact(row: Pick<ArtifactTable, (typeof FACTS)[number]>): ArtifactFact {
  return {
    ...identityOf(row),
    id: row.id,
    documentKey: row.document_key,
    iteration: row.iteration,
    hash: row.hash,
    state: row.state,
    inputs: JSON.parse(row.inputs) as readonly InputRef[],
  };
}

export function identityOf({
  stage,
  step,
  slot,
  lineage,
  match,
}: Pick<ArtifactTable, "stage" | "step" | "slot" | "lineage" | "match">): Identity {
  return { stage, step, slot, lineage, match };
}

export function modelOf({ slots }: Pick<Session, "slots">, slot: number): string {
  const model = slots[slot - 1];
  if (model === undefined) throw new Error(`There is no slot ${slot}.`);
  return model;
}
