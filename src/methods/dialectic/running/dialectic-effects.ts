/** What changes in a session: seeds and artifacts come, stages move. Each is applied once. */

import { hashText } from "../../../kernel/base/hash.ts";
import type { Json } from "../../../kernel/base/json.ts";
import type { EffectKind } from "../../../kernel/run/handler.ts";
import { insertArtifact } from "../../../kernel/store/artifacts.ts";
import {
  type DatabaseWork,
  execute,
  query,
  queryFirst,
} from "../../../kernel/store/database-work.ts";
import { storableText } from "../../../kernel/store/storable-text.ts";
import { renderDocument } from "../document/render-document.ts";
import { filePlace, pathOfArtifact } from "../files/artifact-place.ts";
import { pathFor } from "../files/path-codec.ts";
import { type Identity, identityKey } from "../planning/identity.ts";
import type { InputRef } from "../planning/plan-stage.ts";
import { dependantsOf } from "../planning/staleness.ts";
import { type CompiledStep, stepOf } from "../recipe/compiled-domain.ts";
import { type ArtifactTable, dialectic } from "./dialectic-tables.ts";
import { loadFacts, loadSession, type Session } from "./load-session.ts";

export const LOOKED = "dialectic.looked";
export const SEEDED = "dialectic.seeded";
export const WRITTEN = "dialectic.written";
export const MOVED = "dialectic.moved";

export interface SeededData {
  readonly id: string;
  readonly stage: string;
  readonly iteration: number;
  readonly text: string;
  readonly hash: string;
}

export interface MovedData {
  readonly stage: string;
  readonly iteration: number;
  readonly status: string;
  /** Still at the same gate. */
  readonly keepsGate?: boolean;
}

/** A new version of an artifact. */
export interface WrittenData {
  readonly id: string;
  readonly identity: Identity;
  readonly iteration: number;
  readonly value: Json;
  readonly state: "complete" | "partial";
  readonly author: string;
  readonly inputs: readonly InputRef[];
  readonly jobs: readonly string[];
  readonly continuation: number;
  readonly gaps: readonly string[];
  readonly setAside: readonly Json[];
  readonly basedOn?: string;
  /** Feedback that this version does what it asks. */
  readonly addresses?: readonly string[];
}

const looked: EffectKind = {
  kind: LOOKED,
  *apply({ job }) {
    yield* execute(
      dialectic
        .updateTable("dialectic_session")
        .set((set) => ({ look: set("look", "+", 1) }))
        .where("run_id", "=", job.runId),
    );
  },
};

const seeded: EffectKind = {
  kind: SEEDED,
  *apply({ data, job, now }) {
    const { id, stage, iteration, text, hash } = data as unknown as SeededData;
    const session = yield* loadSession(job.runId);
    yield* execute(
      dialectic.insertInto("dialectic_artifact").values({
        id,
        run_id: job.runId,
        kind: "seed",
        stage,
        step: "seed_prompt",
        document_key: "seed_prompt",
        slot: 0,
        lineage: null,
        match: null,
        iteration,
        version: 1,
        state: "complete",
        schema_key: "",
        schema_hash: "",
        hash,
        author: "engine",
        based_on: null,
        inputs: "[]",
        body: text,
        created_at: now,
        jobs: "[]",
        gaps: "[]",
        set_aside: "[]",
        continuation: 0,
      }),
    );
    yield* insertArtifact(
      {
        id,
        projectId: job.projectId,
        runId: job.runId,
        kind: "dialectic_seed",
        identity: `${stage}/seed_prompt/i${iteration}`,
        path: pathFor({ ...filePlace(session, stage, iteration), kind: "seed_prompt" }),
        mediaType: "text/markdown",
        body: text,
      },
      now,
    );
  },
};

const moved: EffectKind = {
  kind: MOVED,
  *apply({ data, job }) {
    const { stage, iteration, status, keepsGate = false } = data as unknown as MovedData;
    yield* execute(
      dialectic
        .updateTable("dialectic_session")
        .set((set) => ({
          stage,
          iteration,
          status,
          is_refreshing: 0,
          gates: set("gates", "+", keepsGate ? 0 : 1),
        }))
        .where("run_id", "=", job.runId),
    );
  },
};

const written: EffectKind = {
  kind: WRITTEN,
  *apply({ data, job, exchangeId, now }) {
    const session = yield* loadSession(job.runId);
    yield* writeVersion(session, data as unknown as WrittenData, {
      now,
      jobId: job.id,
      exchangeId,
    });
  },
};

export interface Writing {
  readonly now: number;
  readonly jobId?: string | undefined;
  readonly exchangeId?: string | undefined;
}

/** Supersedes the version before, and marks as stale what was built on it. */
export function* writeVersion(
  session: Session,
  data: WrittenData,
  { now, jobId, exchangeId }: Writing,
): DatabaseWork<void> {
  const { runId } = session;
  const { identity, iteration } = data;
  const step = stepOf(session.domain, identity.stage, identity.step);
  const before = yield* listVersions(runId, identity, iteration);
  const replaced = before.filter(({ state }) => state !== "superseded").map(({ id }) => id);
  const isOutdated = yield* readsSuperseded(data.inputs);
  const body = storableText(JSON.stringify(data.value));
  const kind = KINDS[step.outputType];
  if (replaced.length > 0) {
    yield* execute(
      dialectic
        .updateTable("dialectic_artifact")
        .set({ state: "superseded" })
        .where("id", "in", replaced),
    );
  }
  const state = isOutdated ? "stale" : data.state;
  yield* execute(
    dialectic.insertInto("dialectic_artifact").values({
      id: data.id,
      run_id: runId,
      kind,
      stage: identity.stage,
      step: identity.step,
      document_key: step.documentKey,
      slot: identity.slot,
      lineage: identity.lineage,
      match: identity.match,
      iteration,
      version: before.length + 1,
      continuation: data.continuation,
      state,
      schema_key: step.shape.key,
      schema_hash: step.shape.hash,
      hash: hashText(body),
      author: data.author,
      based_on: data.basedOn ?? null,
      inputs: JSON.stringify(data.inputs),
      jobs: JSON.stringify(data.jobs),
      gaps: JSON.stringify(data.gaps),
      set_aside: JSON.stringify(data.setAside),
      body,
      created_at: now,
    }),
  );
  yield* insertArtifact(
    {
      id: data.id,
      projectId: session.projectId,
      runId,
      jobId,
      exchangeId,
      kind: `dialectic_${kind}`,
      identity: `${identityKey(identity)}/i${iteration}`,
      path: pathOfArtifact(session, { ...identity, iteration, kind }),
      mediaType: kind === "document" ? "text/markdown" : "application/json",
      body: shownBody(step, data.value),
      inputs: data.inputs as unknown as readonly Json[],
    },
    now,
  );
  if (state !== "complete") yield* setSharedState([data.id], state);
  yield* settleFeedback(data);
  yield* markStale(session, replaced);
}

const KINDS: Readonly<Record<CompiledStep["outputType"], "header" | "document" | "json">> = {
  HeaderContext: "header",
  RenderedDocument: "document",
  AssembledDocumentJson: "json",
};

function shownBody(step: CompiledStep, value: Json): string {
  return step.outputType === "RenderedDocument"
    ? renderDocument(step.shape, value)
    : `${JSON.stringify(value, null, 2)}\n`;
}

function* listVersions(
  runId: string,
  identity: Identity,
  iteration: number,
): DatabaseWork<readonly Pick<ArtifactTable, "id" | "state">[]> {
  return yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .select(["id", "state"])
      .where((where) => where.and({ run_id: runId, ...identity, iteration }))
      .orderBy("version"),
  );
}

/** Something it read was replaced while it was being written. */
function* readsSuperseded(inputs: readonly InputRef[]): DatabaseWork<boolean> {
  if (inputs.length === 0) return false;
  const found = yield* queryFirst(
    dialectic
      .selectFrom("dialectic_artifact")
      .select("id")
      .where(
        "id",
        "in",
        inputs.map(({ id }) => id),
      )
      .where("state", "=", "superseded"),
  );
  return found !== undefined;
}

/** Everything built on what was replaced, directly or through others, as far as it stands. */
export function* markStale(session: Session, replaced: readonly string[]): DatabaseWork<number> {
  if (replaced.length === 0) return 0;
  const { artifacts } = yield* loadFacts(session);
  const standing = new Set(
    artifacts
      .filter(({ state }) => state === "complete" || state === "partial")
      .map(({ id }) => id),
  );
  const stale = dependantsOf(artifacts, replaced).filter((id) => standing.has(id));
  if (stale.length === 0) return 0;
  yield* execute(
    dialectic.updateTable("dialectic_artifact").set({ state: "stale" }).where("id", "in", stale),
  );
  yield* setSharedState(stale, "stale");
  return stale.length;
}

function* setSharedState(
  ids: readonly string[],
  state: "partial" | "stale" | "complete",
): DatabaseWork<void> {
  yield* execute(dialectic.updateTable("artifact").set({ state }).where("id", "in", ids));
}

/** What is stale may stay as it is. */
export function* acceptStale(runId: string): DatabaseWork<void> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .select("id")
      .where("run_id", "=", runId)
      .where("state", "=", "stale"),
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  yield* execute(
    dialectic.updateTable("dialectic_artifact").set({ state: "complete" }).where("id", "in", ids),
  );
  yield* setSharedState(ids, "complete");
}

function* settleFeedback({ id, addresses = [] }: WrittenData): DatabaseWork<void> {
  if (addresses.length === 0) return;
  yield* execute(
    dialectic
      .updateTable("dialectic_feedback")
      .set({ state: "addressed", addressed_by: id })
      .where("id", "in", addresses)
      .where("state", "=", "open"),
  );
}

export const dialecticEffects: readonly EffectKind[] = [looked, seeded, moved, written];
