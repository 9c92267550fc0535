/** One-time codes that a browser exchanges for a login. A code works once, whoever comes first. */

import { type Act } from "./audited-rows.ts";
import { type DatabaseWork, execute, query } from "./database-work.ts";
import { appendEvents, WORKSPACE_STREAM } from "./events.ts";
import { db } from "./query-builder.ts";
import { requireRow } from "./references.ts";

export interface NewLoginCode {
  readonly codeHash: string;
  readonly userId: string;
  readonly expiresAt: number;
}

export function* insertLoginCode(code: NewLoginCode, act: Act): DatabaseWork<void> {
  yield* requireRow("user", code.userId);
  yield* execute(
    db.insertInto("login_code").values({
      code_hash: code.codeHash,
      user_id: code.userId,
      created_at: act.now,
      expires_at: code.expiresAt,
      used_at: null,
    }),
  );
  yield* tell("login_code.created", code.userId, act);
}

/** The user it stands for, or undefined when it is unknown, expired or used. */
export function* consumeLoginCode(codeHash: string, now: number): DatabaseWork<string | undefined> {
  const [code] = yield* query(
    db
      .updateTable("login_code")
      .set({ used_at: now })
      .where("code_hash", "=", codeHash)
      .where("used_at", "is", null)
      .where("expires_at", ">", now)
      .returning("user_id"),
  );
  if (code === undefined) return undefined;
  yield* tell("login_code.used", code.user_id, { actor: code.user_id, now });
  return code.user_id;
}

export function* deleteExpiredLoginCodes(before: number): DatabaseWork<number> {
  const rows = yield* query(
    db.deleteFrom("login_code").where("expires_at", "<", before).returning("code_hash"),
  );
  return rows.length;
}

function tell(type: string, userId: string, { actor, now }: Act): DatabaseWork<void> {
  const event = { stream: WORKSPACE_STREAM, type, projectId: null, actor, data: { userId } };
  return appendEvents([event], now);
}
