/** Handing inbox entries to people and putting them to sleep; told in the run's own events. */

import { sql } from "kysely";
import { type Act, checkVersion } from "../../kernel/store/audited-rows.ts";
import { type DatabaseWork, execute } from "../../kernel/store/database-work.ts";
import { appendEvents } from "../../kernel/store/events.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { rowsChangedMeanwhile } from "../../kernel/store/store-errors.ts";
import type { WaitRecord } from "./inbox-rows.ts";

export function* assignEntry(
  wait: WaitRecord,
  assigneeId: string | null,
  act: Act,
  expectedVersion: number | undefined,
): DatabaseWork<void> {
  checkVersion("inbox entry", wait, expectedVersion);
  if (assigneeId === (wait.assigneeId ?? null)) return;
  yield* write(wait, { assignee_id: assigneeId });
  yield* tell(wait, "wait.assigned", { assigneeId }, act);
}

export function* snoozeEntry(
  wait: WaitRecord,
  until: number | null,
  act: Act,
  expectedVersion: number | undefined,
): DatabaseWork<void> {
  checkVersion("inbox entry", wait, expectedVersion);
  if (until === (wait.snoozedUntil ?? null)) return;
  yield* write(wait, { snoozed_until: until });
  yield* tell(wait, until === null ? "wait.woken" : "wait.snoozed", { until }, act);
}

/** Answered or changed by somebody else meanwhile: the whole is decided again. */
function* write(
  { id, version }: WaitRecord,
  cells: { assignee_id: string | null } | { snoozed_until: number | null },
): DatabaseWork<void> {
  const written = yield* execute(
    db
      .updateTable("wait")
      .set({ ...cells, version: sql<number>`version + 1` })
      .where("id", "=", id)
      .where("version", "=", version)
      .where("state", "=", "open"),
  );
  if (written === 0) throw rowsChangedMeanwhile(`inbox entry ${id}`);
}

function* tell(
  { id, runId, projectId }: WaitRecord,
  type: string,
  data: Readonly<Record<string, string | number | null>>,
  { actor, now }: Act,
): DatabaseWork<void> {
  const event = { stream: runId, type, projectId: projectId ?? null, actor };
  yield* appendEvents([{ ...event, data: { wait: id, ...data } }], now);
}
