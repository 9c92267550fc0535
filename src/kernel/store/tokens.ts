/** Access tokens of people and agents. Only the hash is kept; the prefix is what people recognise one by. */

import { notFound } from "../base/errors.ts";
import {
  type Act,
  auditedTable,
  getForChange,
  insertAudited,
  touchRow,
  updateAudited,
} from "./audited-rows.ts";
import { toJsonTextOrNull } from "./cells.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import type { TokenTable } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { requireRow } from "./references.ts";

export interface Token {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly prefix: string;
  /** Undefined means all that the user's role allows. */
  readonly scopes: readonly string[] | undefined;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  readonly revokedAt: number | undefined;
}

export interface NewToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly tokenHash: string;
  readonly prefix: string;
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: number | undefined;
}

export const TOKENS = auditedTable("token", {
  told: ["name", "prefix", "scopes"],
  untold: ["last_used_at"],
  goesAlong: true,
});

export function* insertToken(token: NewToken, act: Act): DatabaseWork<Token> {
  yield* requireRow("user", token.userId);
  const row = yield* insertAudited(
    TOKENS,
    {
      id: token.id,
      user_id: token.userId,
      name: token.name,
      token_hash: token.tokenHash,
      prefix: token.prefix,
      scopes: toJsonTextOrNull(token.scopes),
      created_at: act.now,
      expires_at: token.expiresAt ?? null,
      last_used_at: null,
      revoked_at: null,
    },
    act,
    { projectId: null },
  );
  return toToken(row);
}

/** Also finds expired and revoked ones: the caller says which of it is the matter. */
export function* findTokenByHash(tokenHash: string): DatabaseWork<Token | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("token").selectAll().where("token_hash", "=", tokenHash),
  );
  return row && toToken(row);
}

export function* getToken(id: string): DatabaseWork<Token> {
  const row = yield* queryFirst(db.selectFrom("token").selectAll().where("id", "=", id));
  if (row === undefined) throw notFound("token", id);
  return toToken(row);
}

/** Newest first; without a user, everybody's. */
export function* listTokens(userId?: string): DatabaseWork<readonly Token[]> {
  const select = db
    .selectFrom("token")
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
  const rows = yield* query(userId === undefined ? select : select.where("user_id", "=", userId));
  return rows.map(toToken);
}

/** Not told in the log. Call it at most once a minute per token, not on every request. */
export function* touchToken(id: string, now: number): DatabaseWork<void> {
  yield* touchRow(TOKENS, id, { last_used_at: now });
}

/** False when it was revoked before. */
export function* revokeToken(id: string, act: Act): DatabaseWork<boolean> {
  const row = yield* getForChange(TOKENS, id);
  if (row.revoked_at !== null) return false;
  yield* revoke(row, act);
  return true;
}

export function* revokeTokensOf(userId: string, act: Act): DatabaseWork<number> {
  const rows = yield* query(
    db
      .selectFrom("token")
      .selectAll()
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null),
  );
  for (const row of rows) yield* revoke(row, act);
  return rows.length;
}

function revoke(row: TokenTable, act: Act): DatabaseWork<TokenTable> {
  return updateAudited(TOKENS, row, { revoked_at: act.now }, act, {
    projectId: null,
    verb: "revoked",
  });
}

function toToken(row: TokenTable): Token {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes === null ? undefined : (JSON.parse(row.scopes) as readonly string[]),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}
