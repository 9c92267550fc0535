/**
 * The rows of workflows and their versions, as the database holds them; `workflow-migration.ts` makes them.
 * A version never changes: runs, tasks and caches may hold on to `(workflow_id, version)` for ever.
 */

import { tablesOf } from "../../../kernel/store/query-builder.ts";
import type { Tables } from "../../../kernel/store/tables.ts";

export interface WorkflowTable {
  id: string;
  /** Without one it belongs to the workspace, and everybody sees it. */
  project_id: string | null;
  /** The file in the library that this keeps for runs; such a workflow is changed by its file only. */
  library_path: string | null;
  name: string;
  description: string;
  /** What runs; null while there are only drafts. */
  current_version: number | null;
  last_version: number;
  is_archived: number;
  created_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface WorkflowVersionTable {
  workflow_id: string;
  version: number;
  source: string;
  source_hash: string;
  /** What changed, in the words of whoever saved it. */
  summary: string;
  /** Drafts may hold errors; they are never current and never run. */
  is_draft: number;
  created_by: string;
  created_at: number;
  row_hash: string;
}

/** Which version a run executes. */
export interface WorkflowRunTable {
  run_id: string;
  workflow_id: string;
  version: number;
}

export interface WorkflowTables {
  workflow: WorkflowTable;
  workflow_version: WorkflowVersionTable;
  workflow_run: WorkflowRunTable;
}

export type CatalogueTables = Tables & WorkflowTables;

export const catalogue = tablesOf<WorkflowTables>();
