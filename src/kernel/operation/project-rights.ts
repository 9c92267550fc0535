/**
 * What a caller may do inside a project they see. Admins and the owner may do all their role allows; a member
 * may do what both the own role and the role in the project allow; others only see the project because it is
 * visible to the workspace, and may do what their role allows.
 *
 * An operation says in `projectScope` which input fields name a project or something in one, and is refused
 * before it begins. Only what follows from other things than its input has to be asked for inside of it.
 */

import type { Expression, SqlBool } from "kysely";
import { ProductError } from "../base/errors.ts";
import { listProjectsOfConversation } from "../store/conversation-links.ts";
import { type DatabaseWork, queryFirst } from "../store/database-work.ts";
import { findPlace, type Place, type PlacedNoun } from "../store/find-place.ts";
import { findProjectMember } from "../store/project-members.ts";
import { findProject, getProject, type Project } from "../store/projects.ts";
import { db } from "../store/query-builder.ts";
import { resolveId } from "../store/resolve-id.ts";
import type { User } from "../store/users.ts";
import { isMemberAs, type ProjectColumn, seesRun } from "../store/visibility.ts";
import { ROLE_PERMISSIONS } from "./authorise.ts";
import { type Caller, type Permission, ROLES } from "./caller.ts";
import type { Operation, PlaceFinder } from "./operation.ts";
import { resolveProject } from "./resolve-names.ts";

type Scoped = Pick<Operation, "permission" | "projectScope">;

/** Seeing is enough to read, and queries see to that; an admin may do all everywhere. */
export function isNarrowedByProject(caller: Caller, { permission, projectScope }: Scoped): boolean {
  return projectScope !== undefined && permission !== "read" && caller.role !== "admin";
}

/** Everything that the input names is seen by the caller and may be dealt with so in its project. */
export function* requireProjectScope(
  caller: Caller,
  { permission, projectScope = {} }: Scoped,
  input: unknown,
): DatabaseWork<void> {
  const fields = Object(input) as Readonly<Record<string, unknown>>;
  for (const [field, noun] of Object.entries(projectScope)) {
    for (const given of [fields[field]].flat()) {
      if (typeof given !== "string") continue;
      yield* requireRightOn(caller, yield* placeOf(noun, given, caller), permission);
    }
  }
}

function* placeOf(
  noun: PlacedNoun | PlaceFinder,
  given: string,
  caller: Caller,
): DatabaseWork<Place> {
  if (typeof noun === "function") return yield* noun(given, caller);
  const id =
    noun === "project"
      ? yield* resolveProject(given, caller)
      : yield* resolveId(noun, given, caller);
  return yield* findPlace(noun, id);
}

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

/** What has no project may be changed by its maker, or with the right in a project of its conversation. */
export function* requireRightOn(
  caller: Caller,
  { projectId, conversationId, createdBy }: Place,
  permission: Permission,
): DatabaseWork<void> {
  if (projectId !== undefined || conversationId === undefined || createdBy === caller.userId) {
    return yield* requireRight(caller, projectId, permission);
  }
  yield* requireConversationRight(caller, conversationId, permission);
}

/** The right in any of the conversation's projects that the caller sees is enough. */
function* requireConversationRight(
  caller: Caller,
  conversationId: string,
  permission: Permission,
): DatabaseWork<void> {
  let refusal: unknown;
  for (const projectId of yield* listProjectsOfConversation(conversationId)) {
    if ((yield* findProject(projectId, caller)) === undefined) continue;
    try {
      return yield* requireRight(caller, projectId, permission);
    } catch (error) {
      refusal = error;
    }
  }
  if (refusal !== undefined) throw refusal;
}

/** Where `requireRight` would refuse, as a condition: for lists of what a caller can deal with. */
export function isBarred(
  caller: Caller,
  column: ProjectColumn,
  permission: Permission,
): Expression<SqlBool> {
  const lacking = ROLES.filter((role) => !ROLE_PERMISSIONS[role].includes(permission));
  return isMemberAs(caller, column, lacking);
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
  if ((yield* findProject(projectId, { userId: id, role })) !== undefined) return;
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
      .where(seesRun({ userId, role })),
  );
  return row !== undefined;
}
