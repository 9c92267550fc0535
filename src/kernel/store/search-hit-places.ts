/** Where the things found belong: the project to name beside a hit, and a message's conversation. */

import { type DatabaseWork, query } from "./database-work.ts";
import { db } from "./query-builder.ts";
import type { SearchSourceText } from "./search-sources.ts";
import { type Viewer, visibleProjects } from "./visibility.ts";

export interface HitPlace {
  readonly projectId: string | undefined;
  readonly conversationTitle: string | undefined;
}

interface Scope {
  readonly viewer: Viewer;
  readonly projectIds?: readonly string[] | undefined;
}

/** Of several projects, one that the viewer sees and searched in; the first linked among equals. */
export function* listHitPlaces(
  sources: readonly SearchSourceText[],
  scope: Scope,
): DatabaseWork<ReadonlyMap<string, HitPlace>> {
  if (sources.length === 0) return new Map();
  const ids = sources.map(({ itemId }) => itemId);
  const conversationIds = sources.flatMap(({ conversationId }) => conversationId ?? []);
  const owners = yield* ownProjects(ids);
  const links = yield* projectsOfConversations(conversationIds, scope);
  const titles = yield* titlesOf(conversationIds);
  return new Map(
    sources.map(({ kind, itemId, conversationId }) => {
      const viaConversation = conversationId === null ? undefined : links.get(conversationId);
      return [
        `${kind} ${itemId}`,
        {
          projectId: owners.get(itemId) ?? viaConversation,
          conversationTitle: conversationId === null ? undefined : titles.get(conversationId),
        },
      ];
    }),
  );
}

function* ownProjects(ids: string[]): DatabaseWork<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  for (const table of ["task", "decision", "highlight", "artifact"] as const) {
    const rows = yield* query(
      db
        .selectFrom(table)
        .select(["id", "project_id"])
        .where("id", "in", ids)
        .where("project_id", "is not", null),
    );
    for (const { id, project_id } of rows) if (project_id !== null) owners.set(id, project_id);
  }
  return owners;
}

function* projectsOfConversations(
  conversationIds: string[],
  { viewer, projectIds }: Scope,
): DatabaseWork<ReadonlyMap<string, string>> {
  if (conversationIds.length === 0) return new Map();
  const rows = yield* query(
    db
      .selectFrom("conversation_project")
      .select(["conversation_id", "project_id"])
      .where("conversation_id", "in", conversationIds)
      .where("project_id", "in", visibleProjects(viewer))
      .orderBy("created_at", "desc"),
  );
  const wanted = rows.filter(({ project_id }) => projectIds?.includes(project_id) ?? true);
  return new Map(wanted.map(({ conversation_id, project_id }) => [conversation_id, project_id]));
}

function* titlesOf(conversationIds: string[]): DatabaseWork<ReadonlyMap<string, string>> {
  if (conversationIds.length === 0) return new Map();
  const rows = yield* query(
    db.selectFrom("conversation").select(["id", "title"]).where("id", "in", conversationIds),
  );
  return new Map(rows.map(({ id, title }) => [id, title]));
}
