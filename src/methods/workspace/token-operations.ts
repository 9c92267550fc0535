/** API tokens. One's own are one's own business; other people's are an admin's. Their text is shown once. */

import { z } from "zod";
import { notFound, ProductError } from "../../kernel/base/errors.ts";
import { isAllowed } from "../../kernel/operation/authorise.ts";
import { type Caller, PERMISSIONS, type Permission } from "../../kernel/operation/caller.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { issueToken } from "../../kernel/operation/issue-token.ts";
import { momentInput, momentOf } from "../../kernel/operation/moment-text.ts";
import { nameOf, userNames } from "../../kernel/operation/names.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  asOfField,
  idField,
  titleField,
  userField,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveOptional, resolveUser } from "../../kernel/operation/resolve-names.ts";
import { shortId, shortIds } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { table } from "../../kernel/operation/terminal-text.ts";
import { momentText, timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { getToken, listTokens, revokeToken } from "../../kernel/store/tokens.ts";

const tokenShape = z.object({
  id: z.string(),
  userId: z.string(),
  userName: z.string().optional(),
  name: z.string(),
  prefix: z.string().describe("How the token begins."),
  scopes: z.array(z.string()).readonly().optional().describe("Absent: all its user may do."),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
  lastUsedAt: z.number().optional(),
  revokedAt: z.number().optional(),
});

const tokenList = z.object({ items: z.array(tokenShape), asOf: asOfField });

const list = defineOperation({
  name: "token.list",
  summary: "Lists tokens: yours, or as an admin anybody's.",
  effect: "reads",
  permission: "read",
  input: z.object({
    user: userField.optional().describe("Whose tokens; yours if left out."),
    everybody: z.boolean().default(false).describe("Everybody's, if you administer."),
    revoked: z.boolean().default(false).describe("Show revoked and expired ones as well."),
  }),
  output: tokenList,
  surfaces: {
    cli: { examples: ["token list --everybody"], render: rendering(tokenList, renderTokens) },
    mcp: "none",
  },
  run: ({ kernel, caller }, { user, everybody, revoked }) =>
    kernel.store.read(function* () {
      const now = kernel.clock.now();
      const userId = everybody ? undefined : yield* whose(user, caller);
      if (everybody) requireAdmin(caller);
      const tokens = (yield* listTokens(userId)).filter(
        ({ revokedAt, expiresAt }) =>
          revoked || (revokedAt === undefined && (expiresAt === undefined || expiresAt > now)),
      );
      const names = yield* userNames(tokens.map((token) => token.userId));
      return {
        items: tokens.map((token) => ({ ...token, userName: nameOf(names, token.userId) })),
        asOf: now,
      };
    }),
});

const added = tokenShape.extend({ text: z.string().describe("The token. It is not shown again.") });

const add = defineOperation({
  name: "token.add",
  isAnswerSecret: true,
  summary: "Makes a token for a program to act as you, or as an admin for an agent or a person.",
  effect: "writes",
  permission: "read",
  input: z.object({
    name: titleField.max(200).describe("What it is for; you recognise it by this."),
    user: userField.optional().describe("Whom it acts as; you if left out."),
    scopes: z
      .array(z.enum(PERMISSIONS))
      .min(1)
      .optional()
      .describe("What it may be used for; all that its user may do if left out."),
    expires: z
      .union([z.literal("never"), momentInput])
      .default("90d")
      .describe("When it ends: a date, a time from now (90d), or `never`."),
  }),
  output: added,
  surfaces: {
    cli: {
      positionals: ["name"],
      examples: ['token add "editor" --scopes read --scopes edit --expires 30d'],
      render: rendering(added, renderAdded),
    },
    mcp: "none",
  },
  run: async (context, { name, user, scopes, expires }) => {
    const { kernel, caller } = context;
    requireMaker(caller);
    const userId = await kernel.store.read(() => whose(user, caller));
    const { text, token } = await issueToken(kernel, {
      userId,
      name,
      scopes: narrowed(caller, scopes),
      expiresAt: expires === "never" ? null : momentOf(expires, kernel.clock.now()),
      actor: caller.userId,
    });
    kernel.changes.notify();
    return { ...token, text };
  },
});

const revoked = z.object({ id: z.string(), wasActive: z.boolean() });

const revoke = defineOperation({
  name: "token.revoke",
  summary: "Ends a token at once and for good.",
  effect: "writes",
  permission: "read",
  input: z.object({ tokenId: idField("token") }),
  output: revoked,
  surfaces: {
    cli: {
      positionals: ["tokenId"],
      render: rendering(revoked, ({ id, wasActive }) =>
        wasActive ? doneLine(`Token ${shortId(id)} is over.`) : "It was revoked before.",
      ),
    },
    mcp: "none",
  },
  run: (context, { tokenId }) =>
    change(context, function* (act) {
      const { caller } = context;
      requireMaker(caller);
      const id = yield* resolveId("token", tokenId, caller);
      const { userId } = yield* getToken(id);
      if (userId !== caller.userId && !isAllowed(caller, "administer"))
        throw notFound("token", tokenId);
      return { id, wasActive: yield* revokeToken(id, act) };
    }),
});

export const tokenOperations: readonly Operation[] = [list, add, revoke];

function* whose(user: string | undefined, caller: Caller): DatabaseWork<string> {
  const userId = yield* resolveOptional(user, (text) => resolveUser(text, caller));
  if (userId === undefined || userId === caller.userId) return caller.userId;
  requireAdmin(caller);
  return userId;
}

function requireAdmin(caller: Caller): void {
  if (isAllowed(caller, "administer")) return;
  throw new ProductError("token_not_yours", "Other people's tokens are an admin's business.", {
    kind: "not_allowed",
    hint: "Leave the user out to see or make your own.",
  });
}

/** A token must not breed: one made for less could otherwise make one that may do more. */
function requireMaker({ isAgent, scopes }: Caller): void {
  if (isAgent) {
    throw new ProductError("agent_tokens", "Agents neither make nor revoke tokens.", {
      kind: "not_allowed",
      hint: "Ask a person to do it.",
    });
  }
  if (scopes === undefined || scopes.includes("administer")) return;
  throw new ProductError("scope_missing", "This token may not be used to make or revoke tokens.", {
    kind: "not_allowed",
    hint: 'Use a token without scopes, or with the scope "administer".',
  });
}

function narrowed(
  { scopes: own }: Caller,
  wanted: readonly Permission[] | undefined,
): readonly Permission[] | undefined {
  if (own === undefined) return wanted;
  const beyond = wanted?.find((scope) => !own.includes(scope));
  if (beyond === undefined) return wanted ?? own;
  throw new ProductError("scope_missing", `Your own token does not allow to ${beyond}.`, {
    kind: "not_allowed",
    hint: "Ask for scopes that your token has.",
  });
}

function renderTokens({ items, asOf }: z.output<typeof tokenList>): string {
  if (items.length === 0) return "No tokens. Make one with `token add NAME`.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "NAME", width: 30 },
    { title: "OF", width: 20, isSpare: true },
    { title: "BEGINS", isSpare: true },
    { title: "MAY", width: 30, isSpare: true },
    { title: "USED" },
    { title: "ENDS" },
  ];
  const rows = items.map((token) => [
    short(token.id),
    token.name,
    token.userName ?? token.userId,
    `${token.prefix}…`,
    token.scopes?.join(", ") ?? "all",
    token.lastUsedAt === undefined ? "never" : timeAgo(token.lastUsedAt, asOf),
    token.revokedAt === undefined ? endOf(token.expiresAt, asOf) : "revoked",
  ]);
  return table(columns, rows);
}

function endOf(expiresAt: number | undefined, now: number): string {
  if (expiresAt === undefined) return "never";
  return expiresAt <= now ? "expired" : timeAgo(expiresAt, now);
}

function renderAdded({ name, text, expiresAt }: z.output<typeof added>): string {
  return [
    doneLine(`Made token "${name}". Keep it now; it is not shown again.`),
    "",
    `  ${text}`,
    "",
    expiresAt === undefined ? "It does not expire." : `It ends ${momentText(expiresAt)}.`,
  ].join("\n");
}
