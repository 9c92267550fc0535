/**
 * Who sees what, as conditions inside the queries themselves: what a caller may not see is never read.
 *
 * A project is seen by admins, its owner, its members, and by everybody when it is visible to the workspace.
 * A thing in a project is seen by whoever sees the project. A thing in none is seen by whoever made it
 * (a task also by its assignee and by whoever started its run); a thought without a project follows its
 * conversation.
 */

import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import type { UserRole } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import type { Tables } from "./tables.ts";

/** `"everything"` is for the engine and for work that no person asked for. */
export type Viewer = { readonly userId: string; readonly role: UserRole } | "everything";

/** The ids of the projects a caller sees, to be used as a subquery: `where("project_id", "in", …)`. */
export function visibleProjects(viewer: Viewer) {
  return db.selectFrom("project").select("project.id").where(seesProject(viewer));
}

export function seesProject(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "project">();
  return where.or([
    where("project.visibility", "=", "workspace"),
    where("project.owner_id", "=", viewer.userId),
    where(
      "project.id",
      "in",
      db
        .selectFrom("project_member")
        .select("project_member.project_id")
        .where("project_member.user_id", "=", viewer.userId),
    ),
  ]);
}

export function seesTask(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "task">();
  return where.or([
    where("task.project_id", "in", visibleProjects(viewer)),
    where.and([
      where("task.project_id", "is", null),
      where.or([
        where("task.created_by", "=", viewer.userId),
        where("task.assignee_id", "=", viewer.userId),
        seesItsRun(viewer, "task.run_id"),
      ]),
    ]),
  ]);
}

export function seesConversation(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "conversation">();
  return where.or([
    where("conversation.created_by", "=", viewer.userId),
    where(
      "conversation.id",
      "in",
      db
        .selectFrom("conversation_project")
        .select("conversation_project.conversation_id")
        .where("conversation_project.project_id", "in", visibleProjects(viewer)),
    ),
  ]);
}

export function visibleConversations(viewer: Viewer) {
  return db.selectFrom("conversation").select("conversation.id").where(seesConversation(viewer));
}

export function seesMessage(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "message">();
  return where("message.conversation_id", "in", visibleConversations(viewer));
}

export function seesHighlight(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "highlight">();
  return where.or([
    where("highlight.project_id", "in", visibleProjects(viewer)),
    where.and([
      where("highlight.project_id", "is", null),
      where.or([
        where("highlight.created_by", "=", viewer.userId),
        where("highlight.conversation_id", "in", visibleConversations(viewer)),
      ]),
    ]),
  ]);
}

export function seesDecision(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "decision">();
  return where.or([
    where("decision.project_id", "in", visibleProjects(viewer)),
    where.and([
      where("decision.project_id", "is", null),
      where.or([
        where("decision.created_by", "=", viewer.userId),
        where("decision.conversation_id", "in", visibleConversations(viewer)),
      ]),
    ]),
  ]);
}

export function seesRedaction(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "redaction">();
  return where("redaction.project_id", "in", visibleProjects(viewer));
}

export function seesTeam(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "team">();
  return where.or([
    where("team.project_id", "is", null),
    where("team.project_id", "in", visibleProjects(viewer)),
  ]);
}

/** Runs, waits and artifacts: those of a visible project, and a run without one by whoever started it. */
export function seesRun(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  // In one piece: taken apart by `or`, SQLite finds each half by an index and sorts them all to give one page.
  return sql<SqlBool>`case when run.project_id is null then run.started_by = ${viewer.userId} else run.project_id in ${visibleProjects(viewer)} end`;
}

/** Whether the run that a row names is seen. Asked of each row, so that a page costs the same however many runs there are. */
export function seesItsRun(
  viewer: Viewer,
  column: "task.run_id" | "exchange.run_id" | "wait.run_id" | "artifact.run_id" | "event.stream",
): Expression<SqlBool> {
  // Not `exists`: PostgreSQL would read all runs into a table first to have an answer for every row.
  return sql<SqlBool>`(select ${seesRun(viewer)} from run where run.id = ${sql.ref(column)})`;
}

export function seesExchange(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  return seesItsRun(viewer, "exchange.run_id");
}

export function seesWait(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "wait">();
  return where.or([
    seesItsRun(viewer, "wait.run_id"),
    where.and([
      where("wait.project_id", "is", null),
      where("wait.assignee_id", "=", viewer.userId),
    ]),
  ]);
}

export function seesArtifact(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  const where = expressionBuilder<Tables, "artifact">();
  return where.or([
    where("artifact.project_id", "in", visibleProjects(viewer)),
    where.and([where("artifact.project_id", "is", null), seesItsRun(viewer, "artifact.run_id")]),
  ]);
}

/** One's own; an admin sees everybody's. */
export function seesToken(viewer: Viewer): Expression<SqlBool> {
  if (seesAll(viewer)) return ALWAYS;
  return expressionBuilder<Tables, "token">()("token.user_id", "=", viewer.userId);
}

/** The columns that say in which project a thing is. */
export type ProjectColumn =
  | "task.project_id"
  | "highlight.project_id"
  | "decision.project_id"
  | "run.project_id"
  | "wait.project_id"
  | "artifact.project_id"
  | "team.project_id";

/** A member in one of these roles and nothing more: neither the project's owner nor an admin. */
export function isMemberAs(
  viewer: Viewer,
  column: ProjectColumn,
  roles: readonly UserRole[],
): Expression<SqlBool> {
  if (seesAll(viewer) || roles.length === 0) return NEVER;
  return expressionBuilder<Tables, "project">().exists(
    db
      .selectFrom("project_member")
      .innerJoin("project", "project.id", "project_member.project_id")
      .select("project.id")
      .whereRef("project_member.project_id", "=", sql.ref(column))
      .where("project_member.user_id", "=", viewer.userId)
      .where("project_member.role", "in", roles)
      .where("project.owner_id", "<>", viewer.userId),
  );
}

const ALWAYS = sql<SqlBool>`1 = 1`;
const NEVER = sql<SqlBool>`1 = 0`;

function seesAll(viewer: Viewer): viewer is "everything" | { userId: string; role: "admin" } {
  return viewer === "everything" || viewer.role === "admin";
}
