/** Browser logins: a cookie and a secret of the page's origin, both kept only as hashes. */

import { notFound } from "../base/errors.ts";
import {
  type Act,
  auditedTable,
  getForChange,
  insertAudited,
  touchRow,
  updateAudited,
} from "./audited-rows.ts";
import { type DatabaseWork, query, queryFirst } from "./database-work.ts";
import type { LoginTable } from "./noun-tables.ts";
import { db } from "./query-builder.ts";
import { requireRow } from "./references.ts";

export interface Login {
  readonly id: string;
  readonly userId: string;
  /** What people recognise it by, such as the browser's name. */
  readonly label: string | undefined;
  readonly originSecretHash: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | undefined;
}

export interface NewLogin {
  readonly id: string;
  readonly userId: string;
  readonly label?: string | undefined;
  readonly cookieHash: string;
  readonly originSecretHash: string;
  readonly expiresAt: number;
}

export const LOGINS = auditedTable("login", {
  told: ["label"],
  untold: ["last_seen_at"],
  goesAlong: true,
});

export function* insertLogin(login: NewLogin, act: Act): DatabaseWork<Login> {
  yield* requireRow("user", login.userId);
  const row = yield* insertAudited(
    LOGINS,
    {
      id: login.id,
      user_id: login.userId,
      label: login.label ?? null,
      cookie_hash: login.cookieHash,
      origin_secret_hash: login.originSecretHash,
      created_at: act.now,
      last_seen_at: act.now,
      expires_at: login.expiresAt,
      revoked_at: null,
    },
    act,
    { projectId: null },
  );
  return toLogin(row);
}

/** Also finds expired and revoked ones. */
export function* findLoginByCookieHash(cookieHash: string): DatabaseWork<Login | undefined> {
  const row = yield* queryFirst(
    db.selectFrom("login").selectAll().where("cookie_hash", "=", cookieHash),
  );
  return row && toLogin(row);
}

export function* getLogin(id: string): DatabaseWork<Login> {
  const row = yield* queryFirst(db.selectFrom("login").selectAll().where("id", "=", id));
  if (row === undefined) throw notFound("login", id);
  return toLogin(row);
}

/** Those that are neither revoked nor expired, newest first. */
export function* listLogins(userId: string, now: number): DatabaseWork<readonly Login[]> {
  const rows = yield* query(
    db
      .selectFrom("login")
      .selectAll()
      .where("user_id", "=", userId)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc"),
  );
  return rows.map(toLogin);
}

/** Not told in the log. Call it at most once a minute per login, not on every request. */
export function* touchLogin(id: string, now: number): DatabaseWork<void> {
  yield* touchRow(LOGINS, id, { last_seen_at: now });
}

/** False when it was revoked before. */
export function* revokeLogin(id: string, act: Act): DatabaseWork<boolean> {
  const row = yield* getForChange(LOGINS, id);
  if (row.revoked_at !== null) return false;
  yield* revoke(row, act);
  return true;
}

export function* revokeLoginsOf(userId: string, act: Act): DatabaseWork<number> {
  const rows = yield* query(openLogins().where("user_id", "=", userId));
  for (const row of rows) yield* revoke(row, act);
  return rows.length;
}

export function* revokeAllLogins(act: Act): DatabaseWork<number> {
  const rows = yield* query(openLogins());
  for (const row of rows) yield* revoke(row, act);
  return rows.length;
}

function openLogins() {
  return db.selectFrom("login").selectAll().where("revoked_at", "is", null);
}

/** Logins that ended before a moment are of no use to anybody. */
export function* deleteEndedLogins(before: number): DatabaseWork<number> {
  const rows = yield* query(
    db
      .deleteFrom("login")
      .where((where) =>
        where.or([where("expires_at", "<", before), where("revoked_at", "<", before)]),
      )
      .returning("id"),
  );
  return rows.length;
}

function revoke(row: LoginTable, act: Act): DatabaseWork<LoginTable> {
  return updateAudited(LOGINS, row, { revoked_at: act.now }, act, {
    projectId: null,
    verb: "revoked",
  });
}

function toLogin(row: LoginTable): Login {
  return {
    id: row.id,
    userId: row.user_id,
    label: row.label ?? undefined,
    originSecretHash: row.origin_secret_hash,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at ?? undefined,
  };
}
