/** Digests as they are kept: artifacts of a project, which say what stretch of time they tell of. */

import type { Selectable } from "kysely";
import { z } from "zod";
import { notFound } from "../../../kernel/base/errors.ts";
import type { Json } from "../../../kernel/base/json.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import type { ArtifactTable } from "../../../kernel/store/engine-tables.ts";
import {
  afterPlace,
  type Page,
  type PageRequest,
  planPage,
  toPage,
} from "../../../kernel/store/page.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { loadRedactionScope } from "../../../kernel/store/redaction-scope.ts";
import { resolveIdAmong } from "../../../kernel/store/resolve-id.ts";
import { seesArtifact, type Viewer } from "../../../kernel/store/visibility.ts";
import { findHiddenArtifacts } from "../../../kernel/store/withheld-sources.ts";
import { digestOutline } from "./digest-outline.ts";

export const DIGEST_KIND = "digest";

/** The first of an artifact's inputs. */
const digestSource = z.object({
  type: z.literal("project"),
  id: z.string(),
  since: z.number(),
  until: z.number(),
  counts: digestOutline.shape.counts,
});
export type DigestSource = z.output<typeof digestSource>;

export interface Digest {
  readonly id: string;
  readonly projectId: string;
  readonly since: number;
  readonly until: number;
  readonly counts: DigestSource["counts"];
  readonly runId: string | undefined;
  readonly createdAt: number;
}

export interface DigestFilter extends PageRequest {
  readonly viewer: Viewer;
  readonly projectId?: string | undefined;
}

export function* listDigests(filter: DigestFilter): DatabaseWork<Page<Digest>> {
  const plan = planPage(filter);
  let select = db
    .selectFrom("artifact")
    .select(COLUMNS)
    .where("artifact.kind", "=", DIGEST_KIND)
    .where("artifact.is_archived", "=", 0)
    .where(seesArtifact(filter.viewer))
    .where((where) => afterPlace(where, plan, { at: "artifact.created_at", id: "artifact.id" }))
    .orderBy("artifact.created_at", plan.direction)
    .orderBy("artifact.id", plan.direction)
    .limit(plan.limit + 1);
  if (filter.projectId !== undefined) {
    select = select.where("artifact.project_id", "=", filter.projectId);
  }
  const place = (row: DigestRow) => ({ at: row.created_at, id: row.id });
  return toPage(yield* query(select), plan, place, toDigest);
}

export function* getDigest(given: string, viewer: Viewer): DatabaseWork<Digest> {
  const id = yield* resolveIdAmong("artifact", given, seesArtifact(viewer));
  const row = yield* queryFirst(
    db
      .selectFrom("artifact")
      .select(COLUMNS)
      .where("artifact.id", "=", id)
      .where("artifact.kind", "=", DIGEST_KIND),
  );
  if (row === undefined) throw notFound("digest", given);
  return toDigest(row);
}

export interface DigestBody {
  /** Absent where it may not be shown, or is gone. */
  readonly text: string | undefined;
  /** Something that was redacted since is not shown. */
  readonly isMasked: boolean;
}

/** A digest that tells of something that is hidden by now is not shown at all: nobody knows which words tell of it. */
export function* readDigestBody({ id, projectId }: Digest): DatabaseWork<DigestBody> {
  const row = yield* queryFirst(
    db.selectFrom("artifact").select(["id", "body", "inputs"]).where("id", "=", id),
  );
  const body = row?.body ?? undefined;
  if (row === undefined || body === undefined) return { text: undefined, isMasked: false };
  const scope = yield* loadRedactionScope([projectId]);
  const hidden = yield* findHiddenArtifacts([{ id, inputs: inputsOf(row) }], scope);
  if (hidden.has(id)) return { text: undefined, isMasked: true };
  const text = yield* withoutRedactedPassages(body, projectId);
  return { text, isMasked: text !== body };
}

/** Where the last digest ended, so that the next begins there. */
export function* findLastDigest(projectId: string): DatabaseWork<Digest | undefined> {
  const row = yield* queryFirst(
    db
      .selectFrom("artifact")
      .select(COLUMNS)
      .where("artifact.kind", "=", DIGEST_KIND)
      .where("artifact.project_id", "=", projectId)
      .orderBy("artifact.created_at", "desc")
      .orderBy("artifact.id", "desc")
      .limit(1),
  );
  return row && toDigest(row);
}

const COLUMNS = [
  "artifact.id",
  "artifact.run_id",
  "artifact.inputs",
  "artifact.created_at",
] as const;

type DigestRow = Pick<Selectable<ArtifactTable>, "id" | "run_id" | "inputs" | "created_at">;

function toDigest(row: DigestRow): Digest {
  const { id: projectId, since, until, counts } = digestSource.parse(inputsOf(row)[0]);
  const { id, run_id, created_at } = row;
  return { id, projectId, since, until, counts, runId: run_id ?? undefined, createdAt: created_at };
}

function inputsOf({ inputs }: Pick<DigestRow, "inputs">): readonly Json[] {
  return JSON.parse(inputs) as readonly Json[];
}
