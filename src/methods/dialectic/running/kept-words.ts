/** Words of artifacts: pruning may have let go of them when the dialectic had ended long ago. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { type ArtifactTable, dialectic } from "./dialectic-tables.ts";

export function wordsOf({ id, body }: Pick<ArtifactTable, "id" | "body">): string {
  if (body !== null) return body;
  throw new ProductError("document_pruned", "The words of this document were pruned.", {
    kind: "conflict",
    hint: "Its hash still proves what they were; a backup from before may hold them.",
    details: { id },
  });
}

/** What goes on reads what stands, so all of that must still have its words. */
export function* requireWords(runId: string): DatabaseWork<void> {
  const pruned = yield* queryFirst(
    dialectic
      .selectFrom("dialectic_artifact")
      .select("id")
      .where("run_id", "=", runId)
      .where("state", "<>", "superseded")
      .where("body", "is", null),
  );
  if (pruned === undefined) return;
  throw new ProductError("dialectic_pruned", "The words of its documents were pruned.", {
    kind: "conflict",
    hint: "Begin a new one with `dialectic start`; a backup from before may hold the words.",
    details: { runId },
  });
}
