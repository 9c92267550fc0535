/** People and agents. Nobody is deleted while something names them; deactivating ends all they can do. */

import { notFound, ProductError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import {
  type Act,
  auditedTable,
  checkVersion,
  deleteAudited,
  getForChange,
  insertAudited,
  updateAudited,
} from "./audited-rows.ts";
import { toCells, toJsonText } from "./cells.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import { lockName } from "./lock-name.ts";
import { revokeLoginsOf } from "./logins.ts";
import type { UserRole, UserTable } from "./noun-tables.ts";
import { afterPlace, type Page, type PageRequest, planPage, toPage } from "./page.ts";
import { db } from "./query-builder.ts";
import { refuseDependents } from "./references.ts";
import { revokeTokensOf } from "./tokens.ts";

export interface User {
  readonly id: string;
  readonly email: string | undefined;
  readonly displayName: string;
  readonly role: UserRole;
  readonly isActive: boolean;
  readonly isAgent: boolean;
  readonly agentPrompt: string | undefined;
  readonly model: string | undefined;
  /** The seed's `teamIds`. */
  readonly groups: readonly string[];
  readonly preferences: JsonObject;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewUser {
  readonly id: string;
  readonly displayName: string;
  readonly role: UserRole;
  readonly email?: string | undefined;
  readonly isAgent?: boolean | undefined;
  readonly agentPrompt?: string | undefined;
  readonly model?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly preferences?: JsonObject | undefined;
  readonly passwordHash?: string | undefined;
}

/** `undefined` leaves a field as it is, `null` empties it. */
export interface UserPatch {
  readonly email?: string | null | undefined;
  readonly displayName?: string | undefined;
  readonly role?: UserRole | undefined;
  readonly isActive?: boolean | undefined;
  readonly agentPrompt?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly preferences?: JsonObject | undefined;
  readonly passwordHash?: string | null | undefined;
}

export const USERS = auditedTable("user", {
  told: ["email", "display_name", "role", "model", "groups"],
});

export function* insertUser(user: NewUser, act: Act): DatabaseWork<User> {
  const email = normalEmail(user.email ?? null);
  yield* refuseTakenEmail(email, user.id);
  const row = {
    id: user.id,
    email,
    display_name: user.displayName,
    role: user.role,
    is_active: 1,
    is_agent: user.isAgent ? 1 : 0,
    agent_prompt: user.agentPrompt ?? null,
    model: user.model ?? null,
    groups: toJsonText(user.groups ?? []),
    preferences: toJsonText(user.preferences ?? {}),
    password_hash: user.passwordHash ?? null,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  refuseMightyAgent(row);
  return toUser(yield* insertAudited(USERS, row, act, { projectId: null }));
}

export function* findUser(id: string): DatabaseWork<User | undefined> {
  const row = yield* findUserRow(id);
  return row && toUser(row);
}

export function* getUser(id: string): DatabaseWork<User> {
  const row = yield* findUserRow(id);
  if (row === undefined) throw notFound("user", id);
  return toUser(row);
}

export function* findUserByEmail(email: string): DatabaseWork<User | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("user").selectAll().where("email", "=", normalEmail(email)),
  );
  return row && toUser(row);
}

/** Kept apart from `User` so that no list or answer can carry it by accident. */
export function* findPasswordHash(userId: string): DatabaseWork<string | undefined> {
  const row = yield* findUserRow(userId);
  return row?.password_hash ?? undefined;
}

export interface UserFilter extends PageRequest {
  readonly isActive?: boolean | undefined;
  readonly isAgent?: boolean | undefined;
  readonly role?: UserRole | undefined;
}

export function* listUsers(filter: UserFilter = {}): DatabaseWork<Page<User>> {
  const plan = planPage(filter);
  let select = db
    .selectFrom("user")
    .selectAll()
    .where((where) => afterPlace(where, plan, { at: "created_at", id: "id" }))
    .orderBy("created_at", plan.direction)
    .orderBy("id", plan.direction)
    .limit(plan.limit + 1);
  if (filter.isActive !== undefined)
    select = select.where("is_active", "=", filter.isActive ? 1 : 0);
  if (filter.isAgent !== undefined) select = select.where("is_agent", "=", filter.isAgent ? 1 : 0);
  if (filter.role !== undefined) select = select.where("role", "=", filter.role);
  return toPage(yield* query(select), plan, (row) => ({ at: row.created_at, id: row.id }), toUser);
}

/** A new password or role and deactivation end every login; deactivation also revokes every token. */
export function* updateUser(
  id: string,
  patch: UserPatch,
  act: Act,
  expectedVersion?: number,
): DatabaseWork<User> {
  const before = yield* getForChange(USERS, id);
  checkVersion("user", before, expectedVersion);
  const email = patch.email === undefined ? before.email : normalEmail(patch.email);
  if (email !== before.email) yield* refuseTakenEmail(email, id);
  const next = { ...before, ...(toCells(patch) as Partial<UserTable>), email };
  refuseMightyAgent(next);
  if (losesAdmin(before, next)) yield* refuseLastAdmin(id);
  const after = yield* updateAudited(USERS, before, next, act, { projectId: null });
  if (before.is_active === 1 && after.is_active === 0) yield* revokeTokensOf(id, act);
  if (
    after.is_active === 0 ||
    after.role !== before.role ||
    after.password_hash !== before.password_hash
  ) {
    yield* revokeLoginsOf(id, act);
  }
  return toUser(after);
}

/** Takes the user's tokens and logins along; refused while projects, tasks or memberships name them. */
export function* deleteUser(id: string, act: Act, expectedVersion?: number): DatabaseWork<void> {
  const before = yield* getForChange(USERS, id);
  checkVersion("user", before, expectedVersion);
  if (before.is_active === 1 && before.role === "admin") yield* refuseLastAdmin(id);
  yield* refuseDependents(
    "user",
    id,
    [
      { what: "projects", table: "project", where: { owner_id: id } },
      { what: "memberships", table: "project_member", where: { user_id: id } },
      { what: "assigned tasks", table: "task", where: { assignee_id: id } },
    ],
    "Deactivate the user instead, or hand these over first.",
  );
  yield* deleteAudited(USERS, before, act, { projectId: null });
}

function findUserRow(id: string): DatabaseWork<UserTable | undefined> {
  return queryFirst(db.selectFrom("user").selectAll().where("id", "=", id));
}

/** Compared without regard to case, also beyond ASCII, on both databases alike. */
function normalEmail(email: string | null): string | null {
  return email === null ? null : email.trim().normalize("NFKC").toLowerCase();
}

function* refuseTakenEmail(email: string | null, id: string): DatabaseWork<void> {
  if (email === null) return;
  yield* lockName(`email ${email}`);
  const other = yield* queryFirst(
    db.selectFrom("user").select("id").where("email", "=", email).where("id", "<>", id),
  );
  if (other === undefined) return;
  throw new ProductError("email_taken", `Somebody else already has the address ${email}.`, {
    kind: "conflict",
    hint: "Change that user instead, or use another address.",
  });
}

function refuseMightyAgent(row: Pick<UserTable, "is_agent" | "role" | "password_hash">): void {
  if (row.is_agent === 0 || (row.role !== "admin" && row.password_hash === null)) return;
  throw new ProductError(
    "agent_too_mighty",
    "An agent can neither be an admin nor log in with a password.",
    { hint: "Give the agent a lesser role; it acts with the rights of whoever starts the run." },
  );
}

function losesAdmin(before: UserTable, after: Pick<UserTable, "role" | "is_active">): boolean {
  const isAdmin = (row: Pick<UserTable, "role" | "is_active">) =>
    row.role === "admin" && row.is_active === 1;
  return isAdmin(before) && !isAdmin(after);
}

function* refuseLastAdmin(id: string): DatabaseWork<void> {
  // Else two admins could dismiss each other at the same moment.
  yield* lockName("admins");
  const other = yield* queryFirst(
    db
      .selectFrom("user")
      .select("id")
      .where("role", "=", "admin")
      .where("is_active", "=", 1)
      .where("id", "<>", id)
      .limit(1),
  );
  if (other !== undefined) return;
  throw new ProductError("last_admin", "This is the only active admin.", {
    kind: "conflict",
    hint: "Make somebody else an admin first.",
  });
}

function toUser(row: UserTable): User {
  return {
    id: row.id,
    email: row.email ?? undefined,
    displayName: row.display_name,
    role: row.role,
    isActive: row.is_active === 1,
    isAgent: row.is_agent === 1,
    agentPrompt: row.agent_prompt ?? undefined,
    model: row.model ?? undefined,
    groups: JSON.parse(row.groups) as readonly string[],
    preferences: JSON.parse(row.preferences) as JsonObject,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
