/** Artifacts: what runs leave behind, each with its identity, its hash and what it was made from. */

import { hashText } from "../base/hash.ts";
import type { Json } from "../base/json.ts";
import { toJsonText } from "./cells.ts";
import { type DatabaseWork, execute } from "./database-work.ts";
import { db } from "./query-builder.ts";
import { storableText } from "./storable-text.ts";

export interface NewArtifact {
  readonly id: string;
  readonly projectId: string | null;
  readonly runId: string;
  readonly jobId?: string | undefined;
  readonly exchangeId?: string | undefined;
  readonly kind: string;
  /** What it is, whatever it says: versions of one thing share it. */
  readonly identity: string;
  readonly path: string;
  readonly mediaType: string;
  readonly body: string;
  readonly inputs?: readonly Json[] | undefined;
}

/** Of one identity in a run the newest counts; the one before stays, superseded. */
export function* insertArtifact(artifact: NewArtifact, now: number): DatabaseWork<void> {
  const { runId, kind, identity } = artifact;
  const body = storableText(artifact.body);
  yield* execute(
    db
      .updateTable("artifact")
      .set({ state: "superseded" })
      .where("run_id", "=", runId)
      .where("kind", "=", kind)
      .where("identity", "=", identity)
      .where("state", "<>", "superseded"),
  );
  yield* execute(
    db.insertInto("artifact").values({
      id: artifact.id,
      project_id: artifact.projectId,
      run_id: runId,
      job_id: artifact.jobId ?? null,
      exchange_id: artifact.exchangeId ?? null,
      kind,
      identity,
      path: artifact.path,
      media_type: artifact.mediaType,
      body,
      hash: hashText(body),
      bytes: new TextEncoder().encode(body).length,
      inputs: toJsonText([...(artifact.inputs ?? [])]),
      state: "complete",
      created_at: now,
    }),
  );
}
