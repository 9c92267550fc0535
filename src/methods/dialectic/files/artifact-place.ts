/** Where the artifacts of a session lie. */

import type { Identity } from "../planning/identity.ts";
import { lineageOf } from "../planning/identity.ts";
import { stepOf } from "../recipe/compiled-domain.ts";
import type { Session } from "../running/load-session.ts";
import { type FilePlace, folderName, pathFor, type SlotName, slugOf } from "./path-codec.ts";

type Base = Pick<FilePlace, "project" | "session" | "iteration" | "stage">;

export function filePlace(session: FiledSession, stage: string, iteration: number): Base {
  const { projectId, runId } = session;
  return {
    project: folderName(projectId ?? "workspace"),
    session: sessionName(runId),
    iteration,
    stage,
  };
}

export type FiledSession = Pick<Session, "projectId" | "runId" | "slots" | "domain">;

/** The end of an id: its beginning is a moment that many share. */
function sessionName(runId: string): string {
  return runId.replaceAll("-", "").slice(-8);
}

export function slotName({ slots }: Pick<Session, "slots">, slot: number): SlotName {
  return { slug: slugOf(slots[slot - 1] ?? ""), n: slot };
}

export interface Filed extends Identity {
  readonly iteration: number;
}

/** Everything about an artifact's files but their kind and name. */
export function placeOfArtifact(
  session: FiledSession,
  { stage, step, slot, lineage, match, iteration }: Filed,
) {
  const { partition } = stepOf(session.domain, stage, step);
  const isAbout = partition !== "slot" && lineage !== null;
  return {
    ...filePlace(session, stage, iteration),
    slot: slotName(session, slot),
    ...(isAbout ? { lineage: slotName(session, lineage) } : {}),
    ...(isAbout && match !== null ? { match: slotName(session, match) } : {}),
  };
}

/** The one file that an artifact is, among those that tell of it. */
export function pathOfArtifact(
  session: FiledSession,
  artifact: Filed & { readonly kind: "header" | "document" | "json" },
): string {
  const place = placeOfArtifact(session, artifact);
  const step = stepOf(session.domain, artifact.stage, artifact.step);
  switch (artifact.kind) {
    case "header":
      return pathFor({
        ...place,
        kind: "header_context",
        ...(step.isFirstHeader ? {} : { name: step.fileName }),
      });
    case "document":
      return pathFor({ ...place, kind: "document", name: step.documentKey });
    case "json":
      return pathFor({
        ...place,
        kind: "assembled_json",
        name: step.fileName,
        lineage: slotName(session, lineageOf(artifact)),
      });
  }
}
