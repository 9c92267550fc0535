/** Notices: what is told to other programs, and every message with what became of it. `notice-migration.ts` makes these tables. */

import type { RunTable } from "../../kernel/store/engine-tables.ts";
import { tablesOf } from "../../kernel/store/query-builder.ts";
import type { NoticeKind } from "./notice-message.ts";

export interface NoticeTable {
  id: string;
  name: string;
  url: string;
  /** JSON list of kinds. */
  kinds: string;
  /** Only of this project; null for all. */
  project_id: string | null;
  is_enabled: number;
  /** Counts the secrets it has had; the secret itself is worked out from this and a key outside of the store. */
  secret_version: number;
  /** The place in the event log up to which it was told. Untold: it moves by mere use. */
  cursor: string;
  created_by: string;
  version: number;
  created_at: number;
  updated_at: number;
  row_hash: string;
}

export interface NoticeMessageTable {
  /** The receiver sees it as `webhook-id`: the same however often it is sent. */
  id: string;
  notice_id: string;
  kind: NoticeKind;
  body: string;
  state: "pending" | "delivered" | "failed";
  attempts: number;
  /** When it is sent next; null once it is delivered or given up. */
  next_at: number | null;
  last_status: number | null;
  last_note: string | null;
  created_at: number;
  finished_at: number | null;
}

interface OwnTables {
  notice: NoticeTable;
  notice_message: NoticeMessageTable;
  run: RunTable;
}

export const notices = tablesOf<OwnTables>();
