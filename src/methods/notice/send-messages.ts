/**
 * Messages on their way, at least once each: a message is claimed for a while, sent under its own id with a fresh
 * signature, and then either delivered, planned again, or given up after about a day and a half.
 */

import { describeError } from "../../kernel/base/errors.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { type DatabaseWork, execute, query } from "../../kernel/store/database-work.ts";
import { collectMessages } from "./collect-messages.ts";
import { updateNotice } from "./notice-rows.ts";
import { type NoticeMessageTable, type NoticeTable, notices } from "./notice-tables.ts";
import { nextTry } from "./retry-plan.ts";
import { type FindKey, noticeSecret, signMessage } from "./sign-message.ts";

/** Sends one message; throws when nobody answered. */
export type PostMessage = (
  request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  },
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly retryAfterMs?: number | undefined }>;

export interface SendingTools {
  readonly post: PostMessage;
  readonly findKey: FindKey;
}

const AT_ONCE = 20;
/** Longer than a call may take; whoever dies with a message in hand leaves it to the next one after this. */
const CLAIM_MS = 60_000;
const GONE = 410;

/** Everything there is to tell by now; gives how many messages were tried. */
export async function sendNotices(
  kernel: Pick<Kernel, "store" | "clock">,
  tools: SendingTools,
  signal: AbortSignal,
): Promise<number> {
  while (!signal.aborted && (await collectMessages(kernel))) {}
  let tried = 0;
  while (!signal.aborted) {
    const due = await claimDue(kernel);
    if (due.length === 0) return tried;
    const key = await tools.findKey();
    await Promise.all(due.map((each) => send(kernel, { ...tools, key }, each, signal)));
    tried += due.length;
  }
  return tried;
}

interface Due {
  readonly message: NoticeMessageTable;
  readonly notice: NoticeTable;
}

async function claimDue({
  store,
  clock,
}: Pick<Kernel, "store" | "clock">): Promise<readonly Due[]> {
  const now = clock.now();
  const isAny = await store.read(() => listDue(now, 1));
  if (isAny.length === 0) return [];
  return store.write(function* () {
    const messages = yield* listDue(now, AT_ONCE);
    const ids = messages.map(({ id }) => id);
    if (ids.length === 0) return [];
    yield* execute(
      notices
        .updateTable("notice_message")
        .set({ next_at: now + CLAIM_MS })
        .where("id", "in", ids),
    );
    const owners = yield* query(
      notices
        .selectFrom("notice")
        .selectAll()
        .where(
          "id",
          "in",
          messages.map(({ notice_id }) => notice_id),
        ),
    );
    const byId = new Map(owners.map((notice) => [notice.id, notice]));
    return messages.flatMap((message) => {
      const notice = byId.get(message.notice_id);
      return notice === undefined ? [] : [{ message, notice }];
    });
  });
}

/** Of notices that are enabled: what waits at a disabled one waits until it is enabled again. */
function* listDue(now: number, limit: number): DatabaseWork<readonly NoticeMessageTable[]> {
  return yield* query(
    notices
      .selectFrom("notice_message")
      .innerJoin("notice", "notice.id", "notice_message.notice_id")
      .selectAll("notice_message")
      .where("notice_message.next_at", "<=", now)
      .where("notice.is_enabled", "=", 1)
      .orderBy("notice_message.next_at")
      .orderBy("notice_message.id")
      .limit(limit),
  );
}

async function send(
  kernel: Pick<Kernel, "store" | "clock">,
  { post, key }: SendingTools & { readonly key: Uint8Array },
  { message, notice }: Due,
  signal: AbortSignal,
): Promise<void> {
  const { id, body } = message;
  const secret = noticeSecret(key, notice.id, notice.secret_version);
  const headers = {
    "content-type": "application/json",
    ...signMessage(secret, { id, body, at: kernel.clock.now() }),
  };
  let outcome: Outcome;
  try {
    outcome = await post({ url: notice.url, headers, body }, signal);
  } catch (error) {
    if (signal.aborted) return;
    outcome = { status: null, note: describeError(error).message };
  }
  await kernel.store.write(() => settle(message, outcome, kernel.clock.now()));
}

interface Outcome {
  readonly status: number | null;
  readonly retryAfterMs?: number | undefined;
  readonly note?: string;
}

function* settle(
  { id, notice_id, attempts: before }: NoticeMessageTable,
  { status, retryAfterMs, note }: Outcome,
  now: number,
): DatabaseWork<void> {
  const attempts = before + 1;
  const isTaken = status !== null && status >= 200 && status < 300;
  const pause = isTaken || status === GONE ? undefined : nextTry({ id, attempts, retryAfterMs });
  const told = {
    attempts,
    last_status: status,
    last_note: isTaken ? null : (note ?? `answered with ${status}`),
  };
  const end =
    pause === undefined
      ? ({ state: isTaken ? "delivered" : "failed", next_at: null, finished_at: now } as const)
      : ({ state: "pending", next_at: now + pause, finished_at: null } as const);
  yield* execute(
    notices
      .updateTable("notice_message")
      .set({ ...told, ...end })
      .where("id", "=", id)
      // Somebody may have asked meanwhile to begin anew.
      .where("attempts", "=", before),
  );
  // Who says that nobody is there any more is not asked again.
  if (status === GONE) yield* disable(notice_id, now);
}

function* disable(noticeId: string, now: number): DatabaseWork<void> {
  yield* updateNotice(noticeId, { is_enabled: 0 }, { actor: "engine", now }, { verb: "disabled" });
}
