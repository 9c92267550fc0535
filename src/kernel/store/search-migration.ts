/**
 * Full-text search. Words are split by our own code (`search-terms.ts`), the same for both databases, so both
 * find the same things: SQLite keeps them in FTS5 without a copy of the text, PostgreSQL as text vectors.
 * Triggers note what changed; `search-index.ts` catches up, outside the transactions that must be fast.
 */

import type { ColumnWords, Migration } from "./migrate.ts";

export const searchTables: Migration = {
  name: "003-search",
  statements: (words) => [
    ...tables(words),
    ...SOURCES.flatMap((source) => triggers(words, source)),
  ],
};

interface SearchSource {
  readonly table: string;
  /** Columns whose change makes the index stale. */
  readonly columns: readonly string[];
}

const SOURCES: readonly SearchSource[] = [
  { table: "conversation", columns: ["title", "is_inactive"] },
  { table: "message", columns: ["content"] },
  { table: "highlight", columns: ["content", "label", "is_inactive"] },
  { table: "task", columns: ["title", "summary", "description", "is_inactive"] },
  { table: "decision", columns: ["title", "content", "is_inactive"] },
  { table: "artifact", columns: ["body", "path", "state", "is_archived"] },
];

function tables({ dialect, int, serial, strict }: ColumnWords): readonly string[] {
  return [
    `create table search_entry (
      id ${serial},
      kind text not null check (kind in ('conversation','message','highlight','task','decision','artifact')),
      item_id text not null,
      conversation_id text,
      message_id text,
      created_at ${int} not null,
      unique (kind, item_id)
    ${strict}`,
    `create table search_queue (
      id ${serial},
      kind text not null,
      item_id text not null
    ${strict}`,
    ...(dialect === "sqlite"
      ? [
          `create virtual table search_document using fts5(
            title, body, content = '', contentless_delete = 1, detail = column, tokenize = 'ascii')`,
        ]
      : [
          // Several rows for a text whose words do not fit into one vector (1 MB).
          `create table search_document (
            entry_id bigint not null references search_entry (id) on delete cascade,
            words tsvector not null)`,
          "create index search_document_words on search_document using gin (words)",
          "create index search_document_by_entry on search_document (entry_id)",
        ]),
  ];
}

function triggers({ dialect }: ColumnWords, { table, columns }: SearchSource): readonly string[] {
  const insert = "insert into search_queue (kind, item_id)";
  if (dialect === "sqlite") {
    const note = (row: string) => `begin ${insert} values ('${table}', ${row}.id); end`;
    return [
      `create trigger search_${table}_added after insert on ${table} ${note("new")}`,
      `create trigger search_${table}_changed after update of ${columns.join(", ")} on ${table} ${note("new")}`,
      `create trigger search_${table}_deleted after delete on ${table} ${note("old")}`,
    ];
  }
  const perform = `for each statement execute function search_note_${table}()`;
  const differs = columns.map((column) => `n.${column} is distinct from o.${column}`).join(" or ");
  return [
    `create function search_note_${table}() returns trigger language plpgsql as $note$
      begin
        if tg_op = 'UPDATE' then
          ${insert} select '${table}', n.id from noted_new n join noted_old o on o.id = n.id where ${differs};
        elsif tg_op = 'INSERT' then
          ${insert} select '${table}', n.id from noted_new n;
        else
          ${insert} select '${table}', o.id from noted_old o;
        end if;
        return null;
      end $note$`,
    `create trigger search_added after insert on ${table} referencing new table as noted_new ${perform}`,
    `create trigger search_changed after update on ${table} referencing new table as noted_new old table as noted_old ${perform}`,
    `create trigger search_deleted after delete on ${table} referencing old table as noted_old ${perform}`,
  ];
}
