/**
 * The part of the event log a caller may see: events of visible projects, of runs without a project that
 * they started, and what they did themselves. Admins see everything.
 */

import type { DatabaseWork } from "../store/database-work.ts";
import { query } from "../store/database-work.ts";
import type { Event } from "../store/events.ts";
import { db } from "../store/query-builder.ts";
import { seesProject, seesRun } from "../store/visibility.ts";
import type { Caller } from "./caller.ts";
import { withReadableData } from "./redacted-view.ts";

/** As they may be seen: without passages that are redacted. */
export function* visibleEvents(
  events: readonly Event[],
  caller: Caller,
): DatabaseWork<readonly Event[]> {
  return yield* withReadableData(yield* selectVisible(events, caller));
}

function* selectVisible(events: readonly Event[], caller: Caller): DatabaseWork<readonly Event[]> {
  if (caller.role === "admin" || events.length === 0) return events;
  const projects = yield* selectSeen(
    "project",
    distinct(events.map(({ projectId }) => projectId)),
    caller,
  );
  const loose = events.filter(({ projectId }) => projectId === null);
  const runs = yield* selectSeen("run", distinct(loose.map(({ stream }) => stream)), caller);
  return events.filter(({ projectId, stream, actor }) =>
    projectId === null ? runs.has(stream) || actor === caller.userId : projects.has(projectId),
  );
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null))];
}

function* selectSeen(
  table: "project" | "run",
  ids: readonly string[],
  caller: Caller,
): DatabaseWork<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = yield* query(
    table === "project"
      ? db
          .selectFrom("project")
          .select("project.id")
          .where("project.id", "in", ids)
          .where(seesProject(caller))
      : db.selectFrom("run").select("run.id").where("run.id", "in", ids).where(seesRun(caller)),
  );
  return new Set(rows.map(({ id }) => id));
}
