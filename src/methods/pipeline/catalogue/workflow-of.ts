/** The workflow behind a reference, read and ready to be routed; inside any transaction, also a handler's. */

import { notFound } from "../../../kernel/base/errors.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import type { WorkflowDefinition } from "../workflow/workflow-definition.ts";
import { readKept } from "./definition-cache.ts";
import type { WorkflowRef } from "./workflow-ref.ts";
import { catalogue } from "./workflow-tables.ts";

export interface KeptWorkflow {
  readonly ref: WorkflowRef;
  readonly name: string;
  readonly definition: WorkflowDefinition;
}

/** Throws when there is no such version. Reads no source that was read before. */
export function* workflowOf(ref: WorkflowRef): DatabaseWork<KeptWorkflow> {
  const { workflowId, version } = ref;
  const found = yield* queryFirst(
    catalogue
      .selectFrom("workflow_version as v")
      .innerJoin("workflow as w", "w.id", "v.workflow_id")
      .select(["w.name", "v.source_hash"])
      .where("v.workflow_id", "=", workflowId)
      .where("v.version", "=", version),
  );
  if (found === undefined) throw notFound("workflow", `${workflowId} version ${version}`);
  const { definition } = yield* readKept(found.source_hash, () => sourceOf(ref));
  return { ref: { workflowId, version }, name: found.name, definition };
}

export function* sourceOf({ workflowId, version }: WorkflowRef): DatabaseWork<string> {
  const row = yield* queryFirst(
    catalogue
      .selectFrom("workflow_version")
      .select("source")
      .where("workflow_id", "=", workflowId)
      .where("version", "=", version),
  );
  if (row === undefined) throw notFound("workflow", `${workflowId} version ${version}`);
  return row.source;
}
