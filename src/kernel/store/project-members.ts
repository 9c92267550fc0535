/** Who works on a project beside its owner, and in which role. */

import {
  type Act,
  auditedTable,
  deleteAudited,
  findForChange,
  insertAudited,
  updateAudited,
} from "./audited-rows.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import { lockName } from "./lock-name.ts";
import type { ProjectMemberTable, UserRole } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { requireRow } from "./references.ts";

export interface ProjectMember {
  readonly projectId: string;
  readonly userId: string;
  readonly role: UserRole;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const PROJECT_MEMBERS = auditedTable("project_member", {
  key: ["project_id", "user_id"],
  told: ["role"],
  goesAlong: true,
});

/** Adds somebody, or changes their role. */
export function* putProjectMember(
  { projectId, userId, role }: Pick<ProjectMember, "projectId" | "userId" | "role">,
  act: Act,
): DatabaseWork<ProjectMember> {
  yield* requireRow("project", projectId);
  yield* requireRow("user", userId);
  yield* lockName(`member ${projectId} ${userId}`);
  const before = yield* findForChange(PROJECT_MEMBERS, projectId, userId);
  const { now } = act;
  const row =
    before === undefined
      ? yield* insertAudited(
          PROJECT_MEMBERS,
          { project_id: projectId, user_id: userId, role, created_at: now, updated_at: now },
          act,
          { projectId, verb: "added" },
        )
      : yield* updateAudited(PROJECT_MEMBERS, before, { role }, act, { projectId });
  return toMember(row);
}

/** False when they were no member. */
export function* deleteProjectMember(
  projectId: string,
  userId: string,
  act: Act,
): DatabaseWork<boolean> {
  const before = yield* findForChange(PROJECT_MEMBERS, projectId, userId);
  if (before === undefined) return false;
  yield* deleteAudited(PROJECT_MEMBERS, before, act, { projectId, verb: "removed" });
  return true;
}

export function* findProjectMember(
  projectId: string,
  userId: string,
): DatabaseWork<ProjectMember | undefined> {
  const row = yield* queryFirst(
    db
      .selectFrom("project_member")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("user_id", "=", userId),
  );
  return row && toMember(row);
}

export function* listProjectMembers(projectId: string): DatabaseWork<readonly ProjectMember[]> {
  const rows = yield* query(
    db
      .selectFrom("project_member")
      .selectAll()
      .where("project_id", "=", projectId)
      .orderBy("created_at")
      .orderBy("user_id"),
  );
  return rows.map(toMember);
}

function toMember(row: ProjectMemberTable): ProjectMember {
  return {
    projectId: row.project_id,
    userId: row.user_id,
    role: row.role,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
