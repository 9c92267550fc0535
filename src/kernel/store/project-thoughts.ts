/**
 * Which active highlights and decisions belong to which project. A thought with a project belongs to that
 * one alone; without, to every project of its conversation. The table is derived: `doctor` compares it.
 */

import { type DatabaseWork, execute, executeSql } from "./database-work.ts";
import { lockName } from "./lock-name.ts";
import { db } from "./query-builder.ts";
import { sqlText } from "./sql-text.ts";

export interface PlacedThought {
  readonly kind: "highlight" | "decision";
  readonly id: string;
}

/** Call it after every write of the thought's row; lock the links of its conversation before. */
export function* placeThought({ kind, id }: PlacedThought): DatabaseWork<void> {
  yield* removeThought(id);
  yield* executeSql(PLACE[kind].directly, [id]);
  yield* executeSql(PLACE[kind].throughConversation, [id]);
}

export function* removeThought(id: string): DatabaseWork<void> {
  yield* execute(db.deleteFrom("project_thought").where("thought_id", "=", id));
}

/** A thought that arrives while its conversation is being linked must not fall between the two. */
export function lockLinks(conversationId: string): DatabaseWork<void> {
  return lockName(`links ${conversationId}`);
}

export function* placeThoughtsOfLink(
  conversationId: string,
  projectId: string,
): DatabaseWork<void> {
  yield* executeSql(PLACE.highlight.ofLink, [projectId, conversationId]);
  yield* executeSql(PLACE.decision.ofLink, [projectId, conversationId]);
}

export function* removeThoughtsOfLink(
  conversationId: string,
  projectId: string,
): DatabaseWork<void> {
  yield* executeSql(REMOVE_OF_LINK, [projectId, conversationId, conversationId]);
}

function placing(kind: "highlight" | "decision", label: string) {
  const insert =
    "insert into project_thought (project_id, kind, thought_id, is_labelled, created_at)";
  return {
    directly: sqlText(
      `${insert} select t.project_id, '${kind}', t.id, ${label}, t.created_at from ${kind} t
       where t.id = ? and t.is_inactive = 0 and t.project_id is not null`,
    ),
    throughConversation: sqlText(
      `${insert} select l.project_id, '${kind}', t.id, ${label}, t.created_at from ${kind} t
       join conversation_project l on l.conversation_id = t.conversation_id
       where t.id = ? and t.is_inactive = 0 and t.project_id is null`,
    ),
    ofLink: sqlText(
      `${insert} select ?, '${kind}', t.id, ${label}, t.created_at from ${kind} t
       where t.conversation_id = ? and t.is_inactive = 0 and t.project_id is null`,
    ),
  };
}

const PLACE = {
  highlight: placing("highlight", "case when t.label is null then 0 else 1 end"),
  decision: placing("decision", "0"),
};

const REMOVE_OF_LINK = sqlText(
  `delete from project_thought where project_id = ? and thought_id in (
     select id from highlight where conversation_id = ? and project_id is null
     union all select id from decision where conversation_id = ? and project_id is null)`,
);
