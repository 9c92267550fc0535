/** Which conversations belong to which projects; many to many. */

import { notFound } from "../base/errors.ts";
import {
  type Act,
  auditedTable,
  deleteAudited,
  findForChange,
  insertAudited,
} from "./audited-rows.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import { lockLinks, placeThoughtsOfLink, removeThoughtsOfLink } from "./project-thoughts.ts";
import { db } from "./query-builder.ts";
import { requireRow } from "./references.ts";

export const CONVERSATION_LINKS = auditedTable("conversation_project", {
  key: ["conversation_id", "project_id"],
  told: [],
  goesAlong: true,
});

/** False when they were linked before. */
export function* linkConversation(
  conversationId: string,
  projectId: string,
  act: Act,
): DatabaseWork<boolean> {
  yield* requireRow("project", projectId);
  yield* lockLinks(conversationId);
  const conversation = yield* queryFirst(
    db.selectFrom("conversation").select("started_at").where("id", "=", conversationId),
  );
  if (conversation === undefined) throw notFound("conversation", conversationId);
  if (yield* findForChange(CONVERSATION_LINKS, conversationId, projectId)) return false;
  const row = {
    conversation_id: conversationId,
    project_id: projectId,
    started_at: conversation.started_at,
    created_at: act.now,
  };
  yield* insertAudited(CONVERSATION_LINKS, row, act, { projectId, verb: "linked" });
  yield* placeThoughtsOfLink(conversationId, projectId);
  return true;
}

/** False when they were not linked. */
export function* unlinkConversation(
  conversationId: string,
  projectId: string,
  act: Act,
): DatabaseWork<boolean> {
  yield* lockLinks(conversationId);
  const link = yield* findForChange(CONVERSATION_LINKS, conversationId, projectId);
  if (link === undefined) return false;
  yield* deleteAudited(CONVERSATION_LINKS, link, act, { projectId, verb: "unlinked" });
  yield* removeThoughtsOfLink(conversationId, projectId);
  return true;
}

export function* listProjectsOfConversation(
  conversationId: string,
): DatabaseWork<readonly string[]> {
  const rows = yield* query(
    db
      .selectFrom("conversation_project")
      .select("project_id")
      .where("conversation_id", "=", conversationId)
      .orderBy("created_at")
      .orderBy("project_id"),
  );
  return rows.map(({ project_id }) => project_id);
}
