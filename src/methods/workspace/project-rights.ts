/**
 * What a caller may do inside a project they see. Admins and the owner may do all their role allows; a member
 * may do what both the own role and the role in the project allow; others only see the project because it is
 * visible to the workspace, and may do what their role allows.
 */

import { ProductError } from "../../kernel/base/errors.ts";
import { ROLE_PERMISSIONS } from "../../kernel/operation/authorise.ts";
import type { Caller, Permission } from "../../kernel/operation/caller.ts";
import { listProjectsOfConversation } from "../../kernel/store/conversation-links.ts";
import { type DatabaseWork, queryFirst } from "../../kernel/store/database-work.ts";
import { findProjectMember } from "../../kernel/store/project-members.ts";
import { getProject, type Project } from "../../kernel/store/projects.ts";
import { db } from "../../kernel/store/query-builder.ts";
import type { User } from "../../kernel/store/users.ts";
import { seesProject, visibleRuns } from "../../kernel/store/visibility.ts";

/** Throws when the role in the project does not allow it. A thing in no project is its maker's. */
export function* requireRight(
  caller: Caller,
  projectId: string | null | undefined,
  permission: Permission,
): DatabaseWork<void> {
  if (!projectId || caller.role === "admin") return;
  const { name, ownerId } = yield* getProject(projectId, caller);
  if (ownerId === caller.userId) return;
  const member = yield* findProjectMember(projectId, caller.userId);
  if (member === undefined || ROLE_PERMISSIONS[member.role].includes(permission)) return;
  throw new ProductError(
    "project_role_lacks_it",
    `You are a ${member.role} of "${name}", which does not allow to ${permission}.`,
    {
      kind: "not_allowed",
      hint: "Ask the project's owner for another role in it.",
      details: { projectId, role: member.role, permission },
    },
  );
}

export interface Placed {
  readonly projectId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly createdBy: string;
}

/** A thought without a project may be changed by its maker, or with the right in a project of its conversation. */
export function* requireRightOn(
  caller: Caller,
  { projectId, conversationId, createdBy }: Placed,
  permission: Permission,
): DatabaseWork<void> {
  if (projectId !== undefined || conversationId === undefined || createdBy === caller.userId) {
    return yield* requireRight(caller, projectId, permission);
  }
  yield* requireConversationRight(caller, conversationId, permission);
}

/** The right in any of the conversation's projects that the caller sees is enough. */
export function* requireConversationRight(
  caller: Caller,
  conversationId: string,
  permission: Permission,
): DatabaseWork<void> {
  let refusal: unknown;
  for (const projectId of yield* listProjectsOfConversation(conversationId)) {
    if (!(yield* seesIt(caller, projectId))) continue;
    try {
      return yield* requireRight(caller, projectId, permission);
    } catch (error) {
      refusal = error;
    }
  }
  if (refusal !== undefined) throw refusal;
}

/** Members, visibility, owner, repository and the project's end are its owner's business. */
export function* requireOwner(caller: Caller, project: Project): DatabaseWork<void> {
  if (caller.role === "admin" || project.ownerId === caller.userId) return;
  const member = yield* findProjectMember(project.id, caller.userId);
  if (member?.role === "admin") return;
  throw new ProductError(
    "project_owner_needed",
    `Only the owner of "${project.name}", its admins and admins of the workspace may do this.`,
    { kind: "not_allowed", hint: "Ask the owner.", details: { projectId: project.id } },
  );
}

/** Agents act with the rights of whoever starts the run; a person must see what is handed to them. */
export function* requireSeeing(
  { id, role, isAgent, isActive, displayName }: User,
  projectId: string | null | undefined,
): DatabaseWork<void> {
  if (!isActive) {
    throw new ProductError("assignee_inactive", `${displayName} is not active any more.`, {
      kind: "conflict",
      hint: "Choose somebody else, or restore the account first.",
    });
  }
  if (isAgent || !projectId) return;
  if (yield* seesIt({ userId: id, role }, projectId)) return;
  throw new ProductError("assignee_outside", `${displayName} does not see this project.`, {
    kind: "conflict",
    hint: "Add them to the project first: `project add-member`.",
    details: { projectId, userId: id },
  });
}

/** A run without a project is seen by whoever started it, and by admins. */
export function* seesRunOf(user: User, runId: string): DatabaseWork<boolean> {
  const { id: userId, role } = user;
  const row = yield* queryFirst(
    db
      .selectFrom("run")
      .select("run.id")
      .where("run.id", "=", runId)
      .where("run.id", "in", visibleRuns({ userId, role })),
  );
  return row !== undefined;
}

function* seesIt(
  viewer: Pick<Caller, "userId" | "role">,
  projectId: string,
): DatabaseWork<boolean> {
  const row = yield* queryFirst(
    db
      .selectFrom("project")
      .select("project.id")
      .where("project.id", "=", projectId)
      .where(seesProject(viewer)),
  );
  return row !== undefined;
}
