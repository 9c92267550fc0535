/** Makes again what is derived from the rest: which thoughts belong to which project, and the search index. */

import { type DatabaseWork, execute, executeSql } from "./database-work.ts";
import { SEARCH_KINDS } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { sqlText } from "./sql-text.ts";

/** The search index is emptied and everything noted; `refreshSearch` fills it. */
export function* rebuildDerived(): DatabaseWork<void> {
  yield* execute(db.deleteFrom("project_thought"));
  for (const statement of PLACE_ALL) yield* executeSql(statement, []);
  yield* executeSql(EMPTY_DOCUMENTS, []);
  yield* execute(db.deleteFrom("search_entry"));
  yield* execute(db.deleteFrom("search_queue"));
  for (const kind of SEARCH_KINDS) {
    yield* executeSql(
      sqlText(`insert into search_queue (kind, item_id) select '${kind}', id from ${kind}`),
      [],
    );
  }
}

const PLACE_ALL = (["highlight", "decision"] as const).flatMap((kind) => {
  const label = kind === "highlight" ? "case when t.label is null then 0 else 1 end" : "0";
  const insert =
    "insert into project_thought (project_id, kind, thought_id, is_labelled, created_at)";
  return [
    sqlText(
      `${insert} select t.project_id, '${kind}', t.id, ${label}, t.created_at from ${kind} t
       where t.is_inactive = 0 and t.project_id is not null`,
    ),
    sqlText(
      `${insert} select l.project_id, '${kind}', t.id, ${label}, t.created_at from ${kind} t
       join conversation_project l on l.conversation_id = t.conversation_id
       where t.is_inactive = 0 and t.project_id is null`,
    ),
  ];
});

const EMPTY_DOCUMENTS = {
  sqlite: "insert into search_document (search_document) values ('delete-all')",
  postgres: "delete from search_document",
};
