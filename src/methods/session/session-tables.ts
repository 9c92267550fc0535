/** The rows of sessions, as the database holds them; `session-migration.ts` makes them. */

import { tablesOf } from "../../kernel/store/query-builder.ts";
import type { Tables } from "../../kernel/store/tables.ts";
import type { VcsKind } from "../../kernel/vcs/vcs.ts";

/**
 * `finishing`: the synthesis was begun; whoever finds it so takes it back or sees that it was done.
 * `synthesised`: the commit is there, and is still to be pushed.
 */
export const SESSION_STATES = [
  "open",
  "finishing",
  "synthesised",
  "finished",
  "abandoned",
] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export const REPORT_KINDS = ["answer", "draft", "question"] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

export const CHANGE_SCOPES = ["modified-files", "no-files"] as const;
export type ChangeScope = (typeof CHANGE_SCOPES)[number];

export const SYNTHESIS_MODES = ["none", "single", "multi"] as const;
export type SynthesisMode = (typeof SYNTHESIS_MODES)[number];

/** `none`: there is no remote. `off`: nobody wanted it. */
export const PUSH_STATES = ["pending", "pushed", "failed", "off", "none"] as const;
export type PushState = (typeof PUSH_STATES)[number];

/** How an intent came to the session: by command, found in the history, or by a run that is bound to it. */
export const INTENT_SOURCES = ["recorded", "found", "run"] as const;
export type IntentSource = (typeof INTENT_SOURCES)[number];

export const VCS_KINDS = ["jj", "git"] as const;

export interface SessionTable {
  id: string;
  project_id: string | null;
  /** The root of the working copy it was begun in. */
  repository: string;
  vcs: VcsKind;
  state: SessionState;
  /** Byte for byte as it was given. */
  prompt: string;
  prompt_hash: string;
  interpretation: string;
  strategy: string;
  /** A JSON list of texts. */
  constraints: string;
  author_name: string;
  author_email: string;
  base_change: string;
  base_commit: string;
  base_operation: string;
  /** The parent change whose knowledge it counts on, and what it was then. */
  relies_on_change: string | null;
  relies_on_commit: string | null;
  subject: string | null;
  summary: string | null;
  answer: string | null;
  title: string | null;
  kind: ReportKind | null;
  /** What the synthesis is made of, as JSON, from its beginning on. */
  plan: string | null;
  scope: ChangeScope | null;
  mode: SynthesisMode | null;
  change_id: string | null;
  message: string | null;
  report_path: string | null;
  bookmark: string | null;
  push: PushState | null;
  push_reason: string | null;
  started_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
  row_hash: string;
}

export interface SessionIntentTable {
  session_id: string;
  position: number;
  change_id: string;
  what: string;
  source: IntentSource;
  /** The job of a run whose turn it was. */
  job_id: string | null;
  /** What it was duplicated as when it was squashed. */
  duplicate_id: string | null;
  at: number;
}

/** What happened to a session, in order; only ever appended. */
export interface SessionEntryTable {
  session_id: string;
  position: number;
  kind: string;
  data: string;
  actor: string;
  at: number;
}

export interface SessionRunTable {
  run_id: string;
  session_id: string;
  bound_by: string;
  at: number;
  /** Why the session could not be finished with the run; nobody tries again by themselves. */
  failure: string | null;
}

export interface SessionSubjectTable {
  id: string;
  repository: string;
  name: string;
  /** By this two spellings are the same. */
  name_key: string;
  /** A JSON list of other names. */
  aliases: string;
  created_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface OwnTables {
  session: SessionTable;
  session_intent: SessionIntentTable;
  session_entry: SessionEntryTable;
  session_run: SessionRunTable;
  session_subject: SessionSubjectTable;
}

export type SessionTables = Tables & OwnTables;

export const sessionDb = tablesOf<OwnTables>();
