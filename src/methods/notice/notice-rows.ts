/** Notices and their messages as rows. */

import { notFound } from "../../kernel/base/errors.ts";
import {
  type Act,
  checkVersion,
  deleteAudited,
  getForChange,
  insertAudited,
  updateAudited,
} from "../../kernel/store/audited-rows.ts";
import { type DatabaseWork, execute, query, queryFirst } from "../../kernel/store/database-work.ts";
import { NOTICES } from "./notice-migration.ts";
import { type NoticeMessageTable, type NoticeTable, notices } from "./notice-tables.ts";

export type NewNotice = Pick<
  NoticeTable,
  "id" | "name" | "url" | "kinds" | "project_id" | "cursor"
>;

export function* insertNotice(notice: NewNotice, act: Act): DatabaseWork<NoticeTable> {
  const row = {
    ...notice,
    is_enabled: 1,
    secret_version: 1,
    created_by: act.actor,
    version: 1,
    created_at: act.now,
    updated_at: act.now,
  };
  return yield* insertAudited(NOTICES, row, act, { projectId: row.project_id });
}

export type NoticePatch = Partial<
  Pick<NoticeTable, "name" | "url" | "kinds" | "is_enabled" | "secret_version" | "cursor">
>;

export function* updateNotice(
  id: string,
  patch: NoticePatch,
  act: Act,
  { verb, expectedVersion }: { verb?: string; expectedVersion?: number | undefined } = {},
): DatabaseWork<NoticeTable> {
  const before = yield* getForChange(NOTICES, id);
  checkVersion("notice", before, expectedVersion);
  return yield* updateAudited(NOTICES, before, patch, act, { projectId: before.project_id, verb });
}

/** Its messages go along. */
export function* deleteNotice(id: string, act: Act, expectedVersion?: number): DatabaseWork<void> {
  const before = yield* getForChange(NOTICES, id);
  checkVersion("notice", before, expectedVersion);
  yield* deleteAudited(NOTICES, before, act, { projectId: before.project_id });
}

export function* listNotices(): DatabaseWork<readonly NoticeTable[]> {
  return yield* query(notices.selectFrom("notice").selectAll().orderBy("created_at").orderBy("id"));
}

export function* getNotice(id: string): DatabaseWork<NoticeTable> {
  const row = yield* queryFirst(notices.selectFrom("notice").selectAll().where("id", "=", id));
  if (row === undefined) throw notFound("notice", id);
  return row;
}

export function* listMessages(
  noticeId: string,
  limit: number,
): DatabaseWork<readonly NoticeMessageTable[]> {
  return yield* query(
    notices
      .selectFrom("notice_message")
      .selectAll()
      .where("notice_id", "=", noticeId)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(limit),
  );
}

/** Sends it anew from the first try on, whatever became of it. Says whether there is such a one. */
export function* sendAgain(noticeId: string, messageId: string, now: number): DatabaseWork<void> {
  const known = yield* queryFirst(
    notices
      .selectFrom("notice_message")
      .select("id")
      .where("notice_id", "=", noticeId)
      .where("id", "=", messageId),
  );
  if (known === undefined) throw notFound("message", messageId);
  yield* execute(
    notices
      .updateTable("notice_message")
      .set({ state: "pending", attempts: 0, next_at: now, finished_at: null })
      .where("id", "=", messageId),
  );
}
