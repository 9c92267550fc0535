/** Where somebody is signed in, and ending it. One's own always; other people's as an admin. */

import { z } from "zod";
import { notFound, ProductError } from "../base/errors.ts";
import {
  getLogin,
  listLogins,
  revokeAllLogins,
  revokeLogin,
  revokeLoginsOf,
} from "../store/logins.ts";
import { getUser } from "../store/users.ts";
import { isAllowed } from "./authorise.ts";
import type { Caller } from "./caller.ts";
import { defineOperation, type Operation } from "./operation.ts";

const listLoginsOperation = defineOperation({
  name: "login.list",
  summary: "Lists the browsers you are signed in with.",
  effect: "reads",
  permission: "read",
  input: z.object({
    userId: z
      .string()
      .optional()
      .describe("Somebody else's, if you administer; yours if left out."),
  }),
  output: z.object({
    items: z.array(
      z.object({
        id: z.string(),
        userId: z.string(),
        label: z.string().optional(),
        createdAt: z.number(),
        lastSeenAt: z.number(),
        expiresAt: z.number(),
      }),
    ),
  }),
  surfaces: { mcp: "none" },
  run: async ({ kernel, caller }, { userId = caller.userId }) => {
    if (userId !== caller.userId && !isAllowed(caller, "administer")) throw notYours();
    const items = await kernel.store.read(() => listLogins(userId, kernel.clock.now()));
    return { items: [...items] };
  },
});

const revokeLoginOperation = defineOperation({
  name: "login.revoke",
  summary: "Ends a login at once, as if that browser had signed out.",
  effect: "writes",
  permission: "read",
  input: z.object({ loginId: z.string().min(1) }),
  output: z.object({ wasActive: z.boolean() }),
  surfaces: { cli: { positionals: ["loginId"] }, mcp: "none" },
  run: async ({ kernel, caller }, { loginId }) => {
    refuseNarrowToken(caller);
    const act = { actor: caller.userId, now: kernel.clock.now() };
    const wasActive = await kernel.store.write(function* () {
      const { userId } = yield* getLogin(loginId);
      if (userId !== caller.userId && !isAllowed(caller, "administer"))
        throw notFound("login", loginId);
      return yield* revokeLogin(loginId, act);
    });
    return { wasActive };
  },
});

const revokeAllOperation = defineOperation({
  name: "login.revoke-all",
  summary: "Ends all logins of a person, or of everybody, at once; tokens stay.",
  effect: "writes",
  permission: "read",
  input: z
    .object({
      userId: z
        .string()
        .optional()
        .describe("Somebody else's, if you administer; yours if left out."),
      everybody: z.boolean().default(false).describe("Everybody's, yours too; for admins."),
    })
    .refine(({ userId, everybody }) => userId === undefined || !everybody, {
      path: ["everybody"],
      error: "leaves nobody to be named",
    }),
  output: z.object({ ended: z.int().describe("How many logins were open and are not any more.") }),
  surfaces: { cli: { examples: ["login revoke-all --everybody"] }, mcp: "none" },
  run: async ({ kernel, caller }, { userId = caller.userId, everybody }) => {
    refuseNarrowToken(caller);
    if ((everybody || userId !== caller.userId) && !isAllowed(caller, "administer"))
      throw notYours();
    const act = { actor: caller.userId, now: kernel.clock.now() };
    const ended = await kernel.store.write(function* () {
      if (everybody) return yield* revokeAllLogins(act);
      yield* getUser(userId);
      return yield* revokeLoginsOf(userId, act);
    });
    return { ended };
  },
});

export const loginOperations: readonly Operation[] = [
  listLoginsOperation,
  revokeLoginOperation,
  revokeAllOperation,
];

/** Any role may end its own logins, but a token made for reading must not. */
function refuseNarrowToken({ scopes }: Caller): void {
  if (scopes === undefined || scopes.includes("administer")) return;
  throw new ProductError("scope_missing", "This token may not end logins.", {
    kind: "not_allowed",
    hint: 'Use a token without scopes, or with the scope "administer".',
  });
}

function notYours(): ProductError {
  return new ProductError("login_not_yours", "Only admins see other people's logins.", {
    kind: "not_allowed",
  });
}
