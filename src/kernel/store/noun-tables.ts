/**
 * The rows of the shared nouns' tables, as the database holds them; `noun-migration.ts` makes them.
 * `row_hash` covers the row (see `audited-rows.ts`): write these tables only through the store's functions.
 */

import type { Generated } from "kysely";

export const USER_ROLES = ["viewer", "reviewer", "operator", "admin"] as const;
export type UserRole = (typeof USER_ROLES)[number];

export const TASK_STATUSES = [
  "pending",
  "in_progress",
  "waiting",
  "on_hold",
  "completed",
  "failed",
  "cancelled",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const URGENCIES = ["low", "normal", "high", "urgent"] as const;
export type Urgency = (typeof URGENCIES)[number];

export const MESSAGE_ROLES = ["user", "assistant", "system", "tool", "other"] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** What a thought was drawn from. */
export const SOURCE_TYPES = ["highlight", "packet", "message", "conversation", "run"] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

export type ProjectVisibility = "private" | "workspace";
export type SettingScope = "workspace" | "project" | "user";
export type RedactionKind = "conversation" | "message" | "span";

export const SEARCH_KINDS = [
  "conversation",
  "message",
  "highlight",
  "task",
  "decision",
  "artifact",
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export interface UserTable {
  id: string;
  email: string | null;
  display_name: string;
  role: UserRole;
  is_active: number;
  is_agent: number;
  agent_prompt: string | null;
  model: string | null;
  groups: string;
  preferences: string;
  password_hash: string | null;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface TokenTable {
  id: string;
  user_id: string;
  name: string;
  token_hash: string;
  prefix: string;
  scopes: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  row_hash: string;
}

export interface LoginTable {
  id: string;
  user_id: string;
  label: string | null;
  cookie_hash: string;
  origin_secret_hash: string;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  revoked_at: number | null;
  row_hash: string;
}

export interface LoginCodeTable {
  code_hash: string;
  user_id: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

export interface IdempotencyTable {
  principal: string;
  route: string;
  key: string;
  request_hash: string;
  state: "running" | "done";
  owner: string;
  leased_until: number;
  has_effect: number;
  status_code: number | null;
  response: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface SettingTable {
  scope: SettingScope;
  /** The project's or user's id; empty for the workspace. */
  scope_id: string;
  key: string;
  value: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface ProjectTable {
  id: string;
  name: string;
  description: string;
  glossary: string;
  owner_id: string;
  visibility: ProjectVisibility;
  repository: string | null;
  is_archived: number;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface ProjectMemberTable {
  project_id: string;
  user_id: string;
  role: UserRole;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface ConversationTable {
  id: string;
  title: string;
  source: string;
  source_id: string | null;
  details: string;
  is_inactive: number;
  message_count: number;
  started_at: number;
  created_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface MessageTable {
  id: string;
  conversation_id: string;
  role: MessageRole;
  position: number;
  content: string;
  at: number | null;
  source_id: string | null;
  created_at: number;
  row_hash: string;
}

export interface ConversationProjectTable {
  conversation_id: string;
  project_id: string;
  /** The conversation's own, repeated here so that "newest of this project" is an index read. */
  started_at: number;
  created_at: number;
  row_hash: string;
}

export interface HighlightTable {
  id: string;
  content: string;
  label: string | null;
  project_id: string | null;
  conversation_id: string | null;
  message_id: string | null;
  span_start: number | null;
  span_end: number | null;
  source_type: SourceType | null;
  source_id: string | null;
  quote: string | null;
  is_inactive: number;
  created_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface TaskTable {
  id: string;
  title: string;
  summary: string | null;
  description: string | null;
  extra_prompt: string | null;
  additional_info: string | null;
  status: TaskStatus;
  urgency: Urgency;
  parent_id: string | null;
  project_id: string | null;
  run_id: string | null;
  workflow_id: string | null;
  workflow_version: number | null;
  stage: string | null;
  assignee_id: string | null;
  tags: string;
  input: string | null;
  output: string | null;
  confidence: number | null;
  questions: string;
  is_blocker: number;
  is_open_loop: number;
  /** The flag, or `[blocker]` in the description. */
  has_blocker: number;
  has_open_loop: number;
  /** Urgency high or urgent. */
  is_pressing: number;
  source_type: SourceType | null;
  source_id: string | null;
  quote: string | null;
  is_inactive: number;
  hold_reason: string | null;
  started_at: number | null;
  finished_at: number | null;
  created_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface DecisionTable {
  id: string;
  title: string;
  content: string;
  project_id: string | null;
  conversation_id: string | null;
  message_id: string | null;
  supersedes_id: string | null;
  source_type: SourceType | null;
  source_id: string | null;
  quote: string | null;
  is_inactive: number;
  created_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

/**
 * Which active decisions and highlights belong to which project, directly or through a conversation.
 * Kept in step by the store, so that the newest few of a project are an index read at any size.
 */
export interface ProjectThoughtTable {
  project_id: string;
  kind: "highlight" | "decision";
  thought_id: string;
  is_labelled: number;
  created_at: number;
}

export interface RedactionTable {
  id: string;
  project_id: string;
  kind: RedactionKind;
  conversation_id: string;
  message_id: string | null;
  span_start: number | null;
  span_end: number | null;
  reason: string;
  created_by: string;
  created_at: number;
  row_hash: string;
}

/** One thing that can be found; its words are in `search_document`, which each database has in its own form. */
export interface SearchEntryTable {
  id: Generated<number>;
  kind: SearchKind;
  item_id: string;
  /** What it was drawn from, followed through its sources. */
  conversation_id: string | null;
  message_id: string | null;
  created_at: number;
}

/** What changed since it was last indexed; filled by triggers, so no writer can forget it. */
export interface SearchQueueTable {
  id: Generated<number>;
  kind: SearchKind;
  item_id: string;
}

export interface TeamTable {
  id: string;
  name: string;
  description: string;
  members: string;
  project_id: string | null;
  is_archived: number;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface NounTables {
  user: UserTable;
  token: TokenTable;
  login: LoginTable;
  login_code: LoginCodeTable;
  idempotency: IdempotencyTable;
  setting: SettingTable;
  project: ProjectTable;
  project_member: ProjectMemberTable;
  conversation: ConversationTable;
  message: MessageTable;
  conversation_project: ConversationProjectTable;
  highlight: HighlightTable;
  task: TaskTable;
  decision: DecisionTable;
  project_thought: ProjectThoughtTable;
  redaction: RedactionTable;
  team: TeamTable;
  search_entry: SearchEntryTable;
  search_queue: SearchQueueTable;
}
