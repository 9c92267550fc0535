/** How people name a dialectic and its documents. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { nearMatches } from "../../../kernel/contract/near-match.ts";
import type { PlaceFinder } from "../../../kernel/operation/operation.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { seesRun } from "../../../kernel/store/visibility.ts";
import { type ArtifactTable, dialectic } from "../running/dialectic-tables.ts";
import { placeName } from "./feedback-rows.ts";
import { loadSession, type Session } from "../running/load-session.ts";

export const sessionField = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe("The dialectic: its id or a unique beginning of it; the newest unless given.");

export const documentField = z
  .string()
  .min(1)
  .max(200)
  .describe(
    "A document: its id, or its place: stage and key as `dialectic status` shows them, and the slot, as in `thesis/business_case/s1`; on a proposal `s1.l2`, with a review of it `s1.l2.m3`.",
  );

export function* resolveSession(given: string | undefined, caller: Caller): DatabaseWork<Session> {
  return yield* loadSession(yield* findSessionId(given, caller));
}

function* findSessionId(given: string | undefined, caller: Caller): DatabaseWork<string> {
  if (given === undefined) {
    const newest = yield* queryFirst(
      dialectic
        .selectFrom("run")
        .innerJoin("dialectic_session", "dialectic_session.run_id", "run.id")
        .select("run.id")
        .where(seesRun(caller))
        .where("run.is_archived", "=", 0)
        .orderBy("run.id", "desc")
        .limit(1),
    );
    if (newest !== undefined) return newest.id;
    throw new ProductError("dialectic_not_found", "There is no dialectic yet.", {
      kind: "not_found",
      hint: 'Begin one with `dialectic start "What you want"`.',
    });
  }
  const id = yield* resolveId("run", given, caller);
  const found = yield* queryFirst(
    dialectic.selectFrom("dialectic_session").select("run_id").where("run_id", "=", id),
  );
  if (found !== undefined) return id;
  throw new ProductError("run_no_dialectic", "This run is no dialectic.", {
    kind: "conflict",
    hint: "`dialectic list` shows them.",
    details: { runId: id },
  });
}

/** Where a session belongs, for what its caller may do there. */
export const placeOfSession: PlaceFinder = function* (given, caller) {
  const { projectId } = yield* resolveSession(given, caller);
  return { projectId: projectId ?? undefined };
};

export interface FoundDocument {
  readonly session: Session;
  readonly row: ArtifactTable;
}

/** The place of a document in its session, as `dialectic status` names it: stage, key or step, slots. */
export interface DocumentPlace {
  readonly stage: string;
  readonly key: string;
  /** `s2.l1.m3`: who writes it, about whose proposal, with whose review. */
  readonly item: string;
}

export function parsePlace(given: string): DocumentPlace | undefined {
  const [, stage, key] = NAMED.exec(given) ?? [];
  if (stage === undefined || key === undefined) return undefined;
  return { stage, key, item: given.slice(stage.length + key.length + 2) };
}

const NAMED = /^([a-z0-9_]+)\/([a-z0-9_-]+)\/s(\d+)(?:\.l(\d+))?(?:\.m(\d+))?$/;

/** By id, or by its place in the session named beside it. */
export function* resolveDocument(
  given: string,
  session: string | undefined,
  caller: Caller,
): DatabaseWork<FoundDocument> {
  const named = NAMED.exec(given);
  const found =
    named === null ? yield* findById(given, caller) : yield* findNamed(named, session, caller);
  if (found.row.kind !== "seed") return found;
  throw new ProductError(
    "document_is_seed",
    "A seed prompt is made from the recipe and the request.",
    {
      kind: "conflict",
      hint: "Change the request's overlays or the recipe instead.",
    },
  );
}

function* findById(given: string, caller: Caller): DatabaseWork<FoundDocument> {
  const id = yield* resolveId("artifact", given, caller);
  const row = yield* queryFirst(
    dialectic.selectFrom("dialectic_artifact").selectAll().where("id", "=", id),
  );
  if (row === undefined) {
    throw new ProductError("artifact_no_document", "This artifact is no document of a dialectic.", {
      kind: "conflict",
      hint: "`dialectic status` shows those there are.",
    });
  }
  return { session: yield* loadSession(row.run_id), row };
}

function* findNamed(
  [, stage = "", key = "", slot = "", lineage, match]: RegExpExecArray,
  given: string | undefined,
  caller: Caller,
): DatabaseWork<FoundDocument> {
  const session = yield* resolveSession(given, caller);
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .selectAll()
      .where("run_id", "=", session.runId)
      .where("stage", "=", stage)
      .where((where) => where.or([where("document_key", "=", key), where("step", "=", key)]))
      .where("slot", "=", Number(slot))
      .where("state", "<>", "superseded")
      .orderBy("iteration", "desc"),
  );
  const row = rows.find(
    (each) =>
      each.lineage === (lineage === undefined ? null : Number(lineage)) &&
      each.match === (match === undefined ? null : Number(match)),
  );
  if (row !== undefined) return { session, row };
  throw yield* documentNotFound(session, { stage, key, slot, lineage, match });
}

interface AskedPlace {
  readonly stage: string;
  readonly key: string;
  readonly slot: string;
  readonly lineage: string | undefined;
  readonly match: string | undefined;
}

const MOST_NAMED = 6;

/** With the places that were probably meant: of the same document, or of one that is called almost so. */
function* documentNotFound(
  { runId }: Session,
  { stage, key, slot, lineage, match }: AskedPlace,
): DatabaseWork<ProductError> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_artifact")
      .select(["stage", "step", "document_key", "slot", "lineage", "match"])
      .where("run_id", "=", runId)
      .where("kind", "<>", "seed")
      .where("state", "<>", "superseded")
      .orderBy("slot")
      .orderBy("lineage")
      .orderBy("match"),
  );
  const [near = key] = nearMatches(
    key,
    rows.map((each) => each.document_key),
  );
  const meant = rows.filter((each) => each.stage === stage && each.document_key === near);
  const places = [...new Set(meant.map(placeName))];
  const about = lineage === undefined ? "" : `.l${lineage}`;
  const given = `${stage}/${key}/s${slot}${about}${match === undefined ? "" : `.m${match}`}`;
  const more = places.length > MOST_NAMED ? ", …" : "";
  return new ProductError("document_not_found", `There is no document ${given} yet.`, {
    kind: "not_found",
    hint:
      places.length === 0
        ? "`dialectic status` shows those there are."
        : `There are ${places.slice(0, MOST_NAMED).join(", ")}${more}.`,
  });
}
