/** What a dialectic remembers. `dialectic-migration.ts` makes these tables. */

import { tablesOf } from "../../../kernel/store/query-builder.ts";
import type { ArtifactState } from "../planning/plan-stage.ts";

export interface RecipeTable {
  hash: string;
  domain: string;
  files: string;
}

/** A session is a run; it has the run's id, title, project and state. */
export interface SessionTable {
  run_id: string;
  domain: string;
  recipe_hash: string;
  request: string;
  /** The models of its slots, as JSON; a slot's number is its place, from 1. */
  slots: string;
  /** What this session lays over its project's, as JSON. */
  overlays: string;
  reviewers: number | null;
  is_auto: number;
  /** Whether what is stale is being made again. */
  is_refreshing: number;
  stage: string;
  iteration: number;
  status: string;
  /** How often the run has been looked at; the next look has this number. */
  look: number;
  /** How many gates have been passed; the next one has this number. */
  gates: number;
}

interface IdentityColumns {
  stage: string;
  step: string;
  document_key: string;
  slot: number;
  lineage: number | null;
  match: number | null;
}

export interface ArtifactTable extends IdentityColumns {
  id: string;
  run_id: string;
  kind: "seed" | "header" | "document" | "json";
  iteration: number;
  /** From 1, over all that has ever been made under this identity in its iteration. */
  version: number;
  /** How many calls after the first it took. */
  continuation: number;
  state: ArtifactState;
  schema_key: string;
  schema_hash: string;
  /** Of the body. */
  hash: string;
  /** A model's name, or the id of the person who edited it. */
  author: string;
  /** The version that was edited or revised. */
  based_on: string | null;
  /** What it was made from, as JSON. */
  inputs: string;
  /** The jobs whose calls brought it, as JSON. */
  jobs: string;
  gaps: string;
  /** What came and was not taken, as JSON. */
  set_aside: string;
  /** JSON; of seeds the text; null where it was pruned. */
  body: string | null;
  created_at: number;
}

export type FeedbackState = "open" | "addressed" | "deferred" | "rejected";

export interface FeedbackTable extends IdentityColumns {
  id: string;
  run_id: string;
  /** The version it was given on. */
  artifact_id: string;
  /** A top-level field of the document; empty for all of it. */
  section: string;
  body: string;
  hash: string;
  state: FeedbackState;
  note: string | null;
  /** The version that did what it asks. */
  addressed_by: string | null;
  created_by: string;
  created_at: number;
}

interface DialecticTables {
  dialectic_recipe: RecipeTable;
  dialectic_session: SessionTable;
  dialectic_artifact: ArtifactTable;
  dialectic_feedback: FeedbackTable;
}

export const dialectic = tablesOf<DialecticTables>();
