/** The rows of imports, as the database holds them; `import-migration.ts` makes them. */

import { tablesOf } from "../../../kernel/store/query-builder.ts";
import type { Tables } from "../../../kernel/store/tables.ts";
import type { Source } from "./imported-conversation.ts";
import type { Branches } from "./source-file.ts";

/** `running` with a beat that is long ago was interrupted; whoever finds it may go on with it. */
export const IMPORT_STATES = ["running", "completed", "stopped", "failed"] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export const ITEM_OUTCOMES = ["added", "extended", "edited"] as const;
export type ItemOutcome = (typeof ITEM_OUTCOMES)[number];

export interface ImportTable {
  id: string;
  state: ImportState;
  /** The file's name where it came from. */
  name: string;
  bytes: number;
  branches: Branches;
  project_id: string | null;
  upload_id: string;
  started_by: string;
  /** Whoever works on it now; anybody else's word about it does not count. */
  worker: string;
  beat_at: number;
  /** Counts of this pass over the file, as JSON. */
  progress: string;
  reason: string | null;
  started_at: number;
  finished_at: number | null;
}

/** What an import did to a conversation; passes after an interruption add to it. */
export interface ImportItemTable {
  import_id: string;
  conversation_id: string;
  outcome: ItemOutcome;
  messages_added: number;
  messages_edited: number;
}

export interface ImportProblemTable {
  import_id: string;
  position: number;
  file: string;
  byte_offset: number | null;
  line: number | null;
  code: string;
  message: string;
}

/** Where a conversation came from, and what of the source was read when it was last whole. */
export interface ImportedConversationTable {
  conversation_id: string;
  source: Source;
  /** The conversation's id at the source; branches share it. */
  family: string;
  is_branch: number;
  /** Of the title as imported: one that was changed here is not changed again. */
  title_hash: string;
  digest: string | null;
}

interface OwnTables {
  import: ImportTable;
  import_item: ImportItemTable;
  import_problem: ImportProblemTable;
  imported_conversation: ImportedConversationTable;
}

export type AllTables = Tables & OwnTables;

export const imports = tablesOf<OwnTables>();
