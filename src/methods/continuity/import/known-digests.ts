/** Which bytes were imported before, so that importing a file again is no more than reading it. */

import type { Caller } from "../../../kernel/operation/caller.ts";
import { type DatabaseWork, runSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";

/** Beyond this, conversations are compared one by one: right all the same, only slower. */
const MOST_DIGESTS = 500_000;

/** Those of one's own; with a project, only those that are in it with all their branches. */
export function* loadKnownDigests(
  { userId }: Caller,
  projectId: string | undefined,
): DatabaseWork<ReadonlySet<string>> {
  const rows =
    projectId === undefined
      ? yield* runSql<{ digest: string }>(LIST_OWN, [userId])
      : yield* runSql<{ digest: string }>(LIST_LINKED, [userId, projectId]);
  return new Set(rows.length > MOST_DIGESTS ? [] : rows.map(({ digest }) => digest));
}

const OWN = `select i.digest from imported_conversation i join conversation c on c.id = i.conversation_id
  where c.created_by = ? and i.digest is not null`;
const LIMIT = `limit ${MOST_DIGESTS + 1}`;
const LIST_OWN = sqlText(`${OWN} ${LIMIT}`);
const LIST_LINKED = sqlText(
  `${OWN} and not exists (
     select 1 from imported_conversation f join conversation fc on fc.id = f.conversation_id
     where f.source = i.source and f.family = i.family and fc.created_by = c.created_by
       and not exists (select 1 from conversation_project l
         where l.conversation_id = f.conversation_id and l.project_id = ?)) ${LIMIT}`,
);
