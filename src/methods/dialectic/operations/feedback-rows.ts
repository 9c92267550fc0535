/** What people said about documents. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { userNames } from "../../../kernel/operation/names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { oneLine } from "../../../kernel/operation/terminal-text.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { identityKey } from "../planning/identity.ts";
import type { Field } from "../recipe/document-file.ts";
import type { FeedbackState } from "../running/dialectic-tables.ts";
import { type ArtifactTable, dialectic } from "../running/dialectic-tables.ts";
import { identityOf } from "../running/load-session.ts";

export const FEEDBACK_STATES = ["open", "addressed", "deferred", "rejected"] as const;

export const feedbackShape = z.object({
  id: z.string(),
  document: z.string(),
  artifactId: z.string(),
  section: z.string(),
  text: z.string(),
  state: z.enum(FEEDBACK_STATES),
  note: z.string().optional(),
  addressedBy: z.string().optional(),
  createdBy: z.string(),
  createdByName: z.string(),
  createdAt: z.number(),
});

export function* feedbackOn(row: ArtifactTable) {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_feedback")
      .selectAll()
      .where((where) => where.and({ run_id: row.run_id, ...identityOf(row) }))
      .orderBy("id"),
  );
  return yield* toFeedback(rows);
}

type FeedbackRow = Parameters<typeof placeName>[0] & {
  readonly id: string;
  readonly artifact_id: string;
  readonly section: string;
  readonly body: string;
  readonly state: FeedbackState;
  readonly note: string | null;
  readonly addressed_by: string | null;
  readonly created_by: string;
  readonly created_at: number;
};

export function* toFeedback(
  rows: readonly FeedbackRow[],
): DatabaseWork<z.output<typeof feedbackShape>[]> {
  const people = yield* userNames(rows.map(({ created_by }) => created_by));
  return rows.map((row) => ({
    id: row.id,
    document: placeName(row),
    artifactId: row.artifact_id,
    section: row.section,
    text: row.body,
    state: row.state,
    ...(row.note === null ? {} : { note: row.note }),
    ...(row.addressed_by === null ? {} : { addressedBy: row.addressed_by }),
    createdBy: row.created_by,
    createdByName: people.get(row.created_by) ?? row.created_by,
    createdAt: row.created_at,
  }));
}

export function sayFeedback({ id, section, state, text }: z.output<typeof feedbackShape>): string {
  return `${shortId(id)}  ${state}  ${section === "" ? "whole" : section}: ${oneLine(text)}`;
}

export function requireSection(fields: readonly Field[], key: string): Field {
  const found = fields.find((field) => field.key === key);
  if (found !== undefined) return found;
  throw new ProductError("section_unknown", `The document has no section "${key}".`, {
    kind: "not_found",
    hint: `Sections are ${fields.map((field) => field.key).join(", ")}.`,
  });
}

/** `thesis/business_case/s1`, by which it can be named. */
export function placeName(
  row: Pick<ArtifactTable, "stage" | "step" | "document_key" | "slot" | "lineage" | "match">,
): string {
  const place = identityKey(identityOf(row)).split("/").at(-1) ?? "";
  return `${row.stage}/${row.document_key}/${place}`;
}
