/** Reading artifacts the caller sees, and hiding or removing them. */

import { type Expression, type Selectable, type SqlBool, sql } from "kysely";
import { z } from "zod";
import { notFound, ProductError } from "../../kernel/base/errors.ts";
import type { Json } from "../../kernel/base/json.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { jsonValue } from "../../kernel/operation/operation-fields.ts";
import type { Act } from "../../kernel/store/audited-rows.ts";
import { type DatabaseWork, execute, query, queryFirst } from "../../kernel/store/database-work.ts";
import type { ArtifactState, ArtifactTable } from "../../kernel/store/engine-tables.ts";
import { appendEvents, WORKSPACE_STREAM } from "../../kernel/store/events.ts";
import {
  afterPlace,
  type Page,
  type PageRequest,
  planPage,
  toPage,
} from "../../kernel/store/page.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { seesArtifact } from "../../kernel/store/visibility.ts";

export const ARTIFACT_STATES = ["complete", "partial", "stale", "superseded"] as const;

export const artifactShape = z.object({
  id: z.string(),
  kind: z.string(),
  identity: z.string().describe("What it is, whatever it says: versions of one thing share it."),
  path: z.string(),
  mediaType: z.string(),
  state: z.enum(ARTIFACT_STATES),
  projectId: z.string().optional(),
  runId: z.string().optional(),
  jobId: z.string().optional(),
  exchangeId: z.string().optional(),
  hash: z.string(),
  bytes: z.number(),
  inputs: z.array(jsonValue).readonly().describe("What it was made from."),
  isArchived: z.boolean(),
  createdAt: z.number(),
});

export type ShownArtifact = z.input<typeof artifactShape>;

export interface ArtifactFilter extends PageRequest {
  readonly runId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly kind?: string | undefined;
  readonly states?: readonly ArtifactState[] | undefined;
  readonly isArchived: boolean | "both";
}

export function* listArtifacts(
  filter: ArtifactFilter,
  caller: Caller,
): DatabaseWork<Page<ShownArtifact>> {
  const plan = planPage(filter);
  const rows = yield* query(
    db
      .selectFrom("artifact")
      .select(COLUMNS)
      .where(seesArtifact(caller))
      .where((where) => where.and(conditions(filter)))
      .where((where) => afterPlace(where, plan, { at: "artifact.created_at", id: "artifact.id" }))
      .orderBy("artifact.created_at", plan.direction)
      .orderBy("artifact.id", plan.direction)
      .limit(plan.limit + 1),
  );
  return toPage(rows, plan, (row) => ({ at: row.created_at, id: row.id }), toArtifact);
}

/** Whoever resolved its id sees it. */
export function* getArtifact(id: string): DatabaseWork<ShownArtifact> {
  const row = yield* queryFirst(
    db.selectFrom("artifact").select(COLUMNS).where("artifact.id", "=", id),
  );
  if (row === undefined) throw notFound("artifact", id);
  return toArtifact(row);
}

export function* getArtifactBody(id: string): DatabaseWork<string | undefined> {
  const row = yield* queryFirst(db.selectFrom("artifact").select("body").where("id", "=", id));
  return row?.body ?? undefined;
}

export function archiveArtifact(id: string, act: Act): DatabaseWork<ShownArtifact> {
  return setArchived(id, 1, act);
}

export function restoreArtifact(id: string, act: Act): DatabaseWork<ShownArtifact> {
  return setArchived(id, 0, act);
}

/** Refused while another artifact was made from it. */
export function* deleteArtifact(id: string, act: Act): DatabaseWork<void> {
  const artifact = yield* getArtifact(id);
  const [row] = yield* query(
    db
      .selectFrom("artifact")
      .select(sql<number>`count(*)`.as("n"))
      .where("inputs", "like", `%"${id}"%`),
  );
  if (row !== undefined && row.n > 0) {
    throw new ProductError(
      "artifact_in_use",
      `The artifact "${id}" cannot be deleted: ${row.n} others were made from it.`,
      {
        kind: "conflict",
        hint: "Archive the artifact instead.",
        details: { dependents: [`${row.n} artifacts made from it`] },
      },
    );
  }
  yield* execute(db.deleteFrom("artifact").where("id", "=", id));
  yield* tell(artifact, "artifact.deleted", act);
}

const COLUMNS = [
  "artifact.id",
  "artifact.project_id",
  "artifact.run_id",
  "artifact.job_id",
  "artifact.exchange_id",
  "artifact.kind",
  "artifact.identity",
  "artifact.path",
  "artifact.media_type",
  "artifact.hash",
  "artifact.bytes",
  "artifact.inputs",
  "artifact.state",
  "artifact.is_archived",
  "artifact.created_at",
] as const;

function conditions(filter: ArtifactFilter): Expression<SqlBool>[] {
  const { runId, projectId, kind, states, isArchived } = filter;
  const equal = (column: string, value: string | number | undefined) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`];
  return [
    ...equal("artifact.run_id", runId),
    ...equal("artifact.project_id", projectId),
    ...equal("artifact.kind", kind),
    ...equal("artifact.is_archived", isArchived === "both" ? undefined : Number(isArchived)),
    ...(states === undefined || states.length === 0
      ? []
      : [sql<SqlBool>`${sql.ref("artifact.state")} in (${sql.join([...states])})`]),
  ];
}

function* setArchived(id: string, isArchived: 0 | 1, act: Act): DatabaseWork<ShownArtifact> {
  const artifact = yield* getArtifact(id);
  if (artifact.isArchived === (isArchived === 1)) return artifact;
  yield* execute(db.updateTable("artifact").set({ is_archived: isArchived }).where("id", "=", id));
  yield* tell(artifact, isArchived === 1 ? "artifact.archived" : "artifact.restored", act);
  return { ...artifact, isArchived: isArchived === 1 };
}

function* tell(
  { id, hash, projectId, runId }: ShownArtifact,
  type: string,
  { actor, now, because }: Act,
): DatabaseWork<void> {
  const data = { id, hash, ...(because === undefined ? {} : { because }) };
  const stream = runId ?? projectId ?? WORKSPACE_STREAM;
  yield* appendEvents([{ stream, type, projectId: projectId ?? null, actor, data }], now);
}

function toArtifact(row: Omit<Selectable<ArtifactTable>, "body">): ShownArtifact {
  return {
    id: row.id,
    kind: row.kind,
    identity: row.identity,
    path: row.path,
    mediaType: row.media_type,
    state: row.state,
    projectId: row.project_id ?? undefined,
    runId: row.run_id ?? undefined,
    jobId: row.job_id ?? undefined,
    exchangeId: row.exchange_id ?? undefined,
    hash: row.hash,
    bytes: row.bytes,
    inputs: JSON.parse(row.inputs) as readonly Json[],
    isArchived: row.is_archived === 1,
    createdAt: row.created_at,
  };
}
