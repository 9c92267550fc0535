/** What a thought's row says, whoever wrote it last: two states are the same when all but the bookkeeping is. */

import { hashJson } from "../../../kernel/base/hash.ts";
import type { Json } from "../../../kernel/base/json.ts";
import { type DatabaseWork, runSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import type { ExistingRef } from "./matching/match-candidate.ts";

const SELECT = {
  task: sqlText("select * from task where id = ?"),
  decision: sqlText("select * from decision where id = ?"),
  highlight: sqlText("select * from highlight where id = ?"),
};

/** Undefined when it is gone. */
export function* contentHashOf({ type, id }: ExistingRef): DatabaseWork<string | undefined> {
  const [row] = yield* runSql<Record<string, Json>>(SELECT[type], [id]);
  if (row === undefined) return undefined;
  const { version: _, updated_at: __, row_hash: ___, ...content } = row;
  return hashJson(content);
}
