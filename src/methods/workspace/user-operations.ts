/** The people of the workspace. Inviting, changing and removing them is for admins. */

import { sql } from "kysely";
import { z } from "zod";
import { isAllowed } from "../../kernel/operation/authorise.ts";
import { PERMISSIONS } from "../../kernel/operation/caller.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { type Along, lifecycleOperations } from "../../kernel/operation/lifecycle-operations.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  asOfField,
  becauseField,
  expectedVersionField,
  orderField,
  pageFields,
  titleField,
  userField,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveUser } from "../../kernel/operation/resolve-names.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { inviteAgain, inviteUser } from "../../kernel/operation/start-login.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { blocks } from "../../kernel/operation/terminal-text.ts";
import { momentText } from "../../kernel/operation/terminal-time.ts";
import type { Act } from "../../kernel/store/audited-rows.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { USER_ROLES } from "../../kernel/store/noun-tables.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { deleteUser, getUser, listUsers, updateUser } from "../../kernel/store/users.ts";
import { groupsField, shownTo, userList, userShape } from "./user-shape.ts";
import { renderUser, renderUserList } from "./user-view.ts";

const whoIAm = z.object({
  user: userShape,
  permissions: z.array(z.enum(PERMISSIONS)).describe("What this caller may do right now."),
  asOf: asOfField,
});

const me = defineOperation({
  name: "user.me",
  summary: "Says who you are here and what you may do.",
  effect: "reads",
  permission: "read",
  input: z.object({}),
  output: whoIAm,
  surfaces: {
    cli: {
      words: ["whoami"],
      render: rendering(whoIAm, ({ user, permissions }) =>
        blocks(renderUser(user), `You may ${permissions.join(", ")}.`),
      ),
    },
    mcp: "none",
  },
  run: ({ kernel, caller }) =>
    kernel.store.read(function* () {
      const user = yield* getUser(caller.userId);
      const permissions = PERMISSIONS.filter((permission) => isAllowed(caller, permission));
      return { user, permissions, asOf: kernel.clock.now() };
    }),
});

const list = defineOperation({
  name: "user.list",
  summary: "Lists people and agents, so that work can be assigned to them.",
  effect: "reads",
  permission: "read",
  input: z.object({
    kind: z.enum(["people", "agents", "both"]).default("people").describe("Whom to list."),
    role: z.enum(USER_ROLES).optional().describe("Only those with this role."),
    inactive: z.boolean().default(false).describe("Those who were deactivated instead."),
    order: orderField.default("oldest"),
    ...pageFields,
  }),
  output: userList,
  surfaces: {
    cli: { examples: ["user list --kind both"], render: rendering(userList, renderUserList) },
    mcp: "none",
  },
  run: ({ kernel, caller }, { kind, role, inactive, ...page }) =>
    kernel.store.read(function* () {
      const { items, nextCursor } = yield* listUsers({
        ...page,
        role,
        isActive: !inactive,
        isAgent: kind === "both" ? undefined : kind === "agents",
      });
      const shown = items.map((user) => shownTo(caller, user));
      return { items: shown, nextCursor, asOf: kernel.clock.now() };
    }),
});

const show = defineOperation({
  name: "user.show",
  summary: "Shows one person or agent.",
  effect: "reads",
  permission: "read",
  input: z.object({ user: userField }),
  output: userShape,
  surfaces: {
    cli: { positionals: ["user"], render: rendering(userShape, renderUser) },
    mcp: "none",
  },
  run: ({ kernel, caller }, { user }) =>
    kernel.store.read(function* () {
      return shownTo(caller, yield* getUser(yield* resolveUser(user, caller)));
    }),
});

const invitation = z.object({
  user: userShape,
  code: z.string().describe("Works once: `/#invite=CODE` at the server's address."),
  expiresAt: z.number(),
});

const emailField = z.email().max(320).describe("Their e-mail address; they sign in with it.");

const invite = defineOperation({
  name: "user.invite",
  isAnswerSecret: true,
  summary: "Makes a person and a code with which they choose a password and come in.",
  effect: "writes",
  permission: "administer",
  input: z.object({
    email: emailField,
    displayName: titleField.max(200).describe("What they are called."),
    role: z.enum(USER_ROLES).default("operator").describe("What they may do."),
  }),
  output: invitation,
  surfaces: {
    cli: {
      positionals: ["email", "displayName"],
      examples: ['user invite mara@example.org "Mara" --role reviewer'],
      render: rendering(invitation, renderInvitation),
    },
    mcp: "none",
  },
  run: async ({ kernel, caller }, person) => {
    const invited = await inviteUser(kernel, person, caller.userId);
    kernel.changes.notify();
    return invited;
  },
});

const again = defineOperation({
  name: "user.invite-again",
  isAnswerSecret: true,
  summary: "Makes another code for somebody who lost theirs or forgot the password.",
  effect: "writes",
  permission: "administer",
  input: z.object({ user: userField }),
  output: invitation,
  surfaces: {
    cli: { positionals: ["user"], render: rendering(invitation, renderInvitation) },
    mcp: "none",
  },
  run: async ({ kernel, caller }, { user }) => {
    const id = await kernel.store.read(() => resolveUser(user, caller));
    const invited = await inviteAgain(kernel, id, caller.userId);
    kernel.changes.notify();
    return invited;
  },
});

const update = defineOperation({
  name: "user.update",
  summary: "Changes a person: name, address, role, groups. A new role ends their logins.",
  effect: "writes",
  permission: "administer",
  input: z.object({
    user: userField,
    displayName: titleField.max(200).optional().describe("What they are called."),
    email: emailField.nullable().optional(),
    role: z.enum(USER_ROLES).optional().describe("What they may do."),
    groups: groupsField.optional(),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: userShape,
  surfaces: {
    cli: {
      positionals: ["user"],
      examples: ["user update mara@example.org --role operator"],
      render: rendering(userShape, ({ id, displayName, role }) =>
        doneLine(`Changed ${displayName} (${shortId(id)}), role ${role}.`),
      ),
    },
    mcp: "none",
  },
  run: (context, { user, because, expectedVersion, ...patch }) =>
    change(
      context,
      function* (act) {
        const id = yield* resolveUser(user, context.caller);
        return yield* updateUser(id, patch, act, expectedVersion);
      },
      because,
    ),
});

const lifecycle = lifecycleOperations({
  noun: "user",
  permission: "administer",
  mcp: "none",
  output: userShape,
  archiveSummary: "Deactivates somebody: ends their logins and revokes their tokens at once.",
  restoreSummary: "Lets somebody who was deactivated in again; they need a new login.",
  deleteSummary:
    "Deletes somebody for good; refused while projects, tasks or memberships name them.",
  find: (given, caller) => resolveUser(given, caller),
  archive: (id, act, expectedVersion) => updateUser(id, { isActive: false }, act, expectedVersion),
  restore: (id, act, expectedVersion) => updateUser(id, { isActive: true }, act, expectedVersion),
  remove: (id: string, act: Act, expectedVersion?: number) => deleteUser(id, act, expectedVersion),
  goesAlong: listCredentials,
});

export const userOperations: readonly Operation[] = [
  me,
  list,
  show,
  invite,
  again,
  update,
  ...lifecycle,
];

export function* listCredentials(userId: string): DatabaseWork<readonly Along[]> {
  const along: Along[] = [];
  for (const table of ["token", "login"] as const) {
    const [row] = yield* query(
      db
        .selectFrom(table as "token")
        .select(sql<number>`count(*)`.as("n"))
        .where("user_id", "=", userId),
    );
    along.push({ what: `${table}s`, count: row?.n ?? 0 });
  }
  return along;
}

function renderInvitation({ user, code, expiresAt }: z.output<typeof invitation>): string {
  return [
    doneLine(`${user.displayName} may come in as ${user.role}.`),
    `  Code     ${code}`,
    `  Link     the server's address followed by /#invite=${code}`,
    `  Expires  ${momentText(expiresAt)}; it works once and is not shown again.`,
  ].join("\n");
}
