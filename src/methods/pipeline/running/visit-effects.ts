/** Effects on single visits: taken up, done, held, asked again, forced. */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { EffectKind, EffectToApply } from "../../../kernel/run/handler.ts";
import {
  type DatabaseWork,
  query,
  queryFirst,
  writeRows,
  writeSql,
} from "../../../kernel/store/database-work.ts";
import { sqlForRows, sqlText } from "../../../kernel/store/sql-text.ts";
import { type Caps, placeInForeach } from "../routing/open-run.ts";
import { moveTask, moveTasks, type TaskMove } from "./move-task.ts";
import { running, type StepVisitTable } from "./run-tables.ts";

export const STARTED = "pipeline.started";
export const ENDED = "pipeline.ended";
export const HELD = "pipeline.held";
export const AGAIN = "pipeline.again";
export const MARK_JOIN = "pipeline.marked";
export const ASKED = "pipeline.asked";
export const CLEARED = "pipeline.cleared";
export const RAISED = "pipeline.raised";
export const ITEMS_AGAIN = "pipeline.items-again";

/** What became of a visit's work. The task stays in progress until it is routed. */
export interface EndedData {
  readonly visitId: string;
  readonly outcome: NonNullable<StepVisitTable["outcome"]>;
  readonly output?: Json;
  readonly summary?: string;
  readonly confidence?: number;
  readonly tags?: readonly string[];
  /** Shown with the task: what the model said of itself, why it failed. */
  readonly info?: JsonObject;
  /** With `continued`: the work that should follow. */
  readonly note?: string;
  readonly by?: string;
}

/** Waits for a person, with what the model said so far. */
export interface HeldData extends Omit<EndedData, "outcome"> {
  readonly reason: string;
  readonly questions?: readonly Json[];
}

export interface AgainData {
  readonly visitId: string;
  /** The number of the attempt that begins. */
  readonly attempt: number;
  /** Why the attempt before failed. */
  readonly note?: string;
  /** What a person said should be different. */
  readonly instruction?: string;
  readonly answered?: readonly Json[];
  readonly rerun?: boolean;
}

export interface RaisedData {
  readonly visitId: string;
  /** Only what is raised. */
  readonly caps: Caps;
}

export type MarkData =
  | { readonly containerId: string; readonly isForced: boolean }
  | { readonly scope: string; readonly join: string; readonly isForced: boolean };

/** Places of the prompt that nothing fills are told with the task. */
const startedEffect = effects<{ visitId: string; unknownPaths?: readonly string[] }>(
  STARTED,
  function* (started, now) {
    yield* moveTasks(
      started.map(({ data: { visitId, unknownPaths = [] } }) => ({
        id: visitId,
        status: "in_progress",
        ...(unknownPaths.length === 0 ? {} : { info: { unknownPaths: [...unknownPaths] } }),
      })),
      now,
    );
  },
);

const endedEffect = effects<EndedData>(ENDED, function* (ended, now) {
  yield* writeRows(
    END_VISITS,
    ended.map(({ data: { visitId, outcome, note } }) => ({ id: visitId, outcome, note })),
  );
  yield* moveTasks(
    ended.map(({ data }) => ({ ...toldOf(data), status: "in_progress" })),
    now,
  );
});

const heldEffect = effects<HeldData>(HELD, function* (held, now) {
  yield* writeRows(REST, idsOf(held));
  yield* moveTasks(
    held.map(({ data }) => ({
      ...toldOf(data),
      status: "on_hold",
      holdReason: data.reason,
      ...(data.questions === undefined ? {} : { questions: data.questions }),
    })),
    now,
  );
});

const againEffect = effects<AgainData>(AGAIN, function* (again, now) {
  yield* writeRows(
    BEGIN_AGAIN,
    again.map(({ data: { visitId, attempt, note, answered } }) => ({
      id: visitId,
      attempt,
      note,
      answered: answered === undefined ? null : JSON.stringify(answered),
    })),
  );
  const revived = yield* reviveItems(again.map(({ data }) => data.visitId));
  yield* moveTasks(
    [
      ...again.map(({ data: { visitId, instruction, answered, rerun = false } }) => ({
        id: visitId,
        status: "pending" as const,
        rerun,
        ...(instruction === undefined ? {} : { instruction }),
        ...(answered === undefined ? {} : { questions: [] }),
      })),
      ...revived.map((id) => ({ id, status: "waiting" as const })),
    ],
    now,
  );
});

/** The way is free for work that is done again: what came after it is dropped, and ends nothing any more. */
const clearedEffect = effect<{ dropped: string[]; passed: string[]; joins: string[] }>(
  CLEARED,
  function* ({ dropped, passed, joins }, { runId, now }) {
    const rows = (ids: readonly string[]) => ids.map((id) => ({ id }));
    yield* writeRows(DROP_VISITS, rows(dropped));
    yield* writeRows(FORGET_LAST, rows(passed));
    yield* writeRows(
      CLEAR_ARRIVALS,
      joins.map((step) => ({ run_id: runId, step })),
    );
    yield* moveTasks(
      dropped.map((id) => ({ id, status: "cancelled" })),
      now,
    );
  },
);

/** A manual step stands in the inbox. */
const askedEffect = effects<{ visitId: string }>(ASKED, function* (asked) {
  yield* writeRows(REST, idsOf(asked));
});

const markEffect = effect<MarkData>(MARK_JOIN, function* (data, { runId }) {
  const forced = data.isForced ? 1 : 0;
  if ("containerId" in data) {
    yield* writeSql(MARK_CONTAINER, [forced, 1 - forced, data.containerId]);
  } else {
    yield* writeSql(INSERT_MARK, [runId, data.scope, data.join, forced, 1 - forced]);
  }
});

/** What a person allowed, beside what was allowed before. The visit that was held is looked at again. */
const raisedEffect = effect<RaisedData>(RAISED, function* ({ visitId, caps }, { runId, now }) {
  const row = yield* queryFirst(
    running.selectFrom("workflow_progress").select("caps").where("run_id", "=", runId),
  );
  const before = JSON.parse(row?.caps ?? "{}") as Caps;
  const both = {
    ...before,
    ...caps,
    iterations: { ...before.iterations, ...caps.iterations },
    items: { ...before.items, ...caps.items },
  };
  yield* writeSql(SET_CAPS, [JSON.stringify(both), runId]);
  yield* writeRows(UNHOLD, [{ id: visitId }]);
  const visit = yield* queryFirst(
    running.selectFrom("step_visit").select("kind").where("id", "=", visitId),
  );
  if (visit?.kind === "container") yield* moveTask({ id: visitId, status: "waiting" }, now);
});

/** Items that failed begin again, or, where a person leaves them out, count as skipped. */
const itemsEffect = effect<{ containerId: string; state: "pending" | "skipped" }>(
  ITEMS_AGAIN,
  function* ({ containerId, state }, { now }) {
    yield* writeSql(RESET_ITEMS, [state, containerId]);
    yield* writeRows(UNHOLD, [{ id: containerId }]);
    yield* moveTask({ id: containerId, status: "waiting" }, now);
  },
);

export const visitEffects: readonly EffectKind[] = [
  startedEffect,
  endedEffect,
  heldEffect,
  againEffect,
  askedEffect,
  clearedEffect,
  markEffect,
  raisedEffect,
  itemsEffect,
];

interface Applying {
  readonly runId: string;
  readonly now: number;
}

function effect<Data>(
  kind: string,
  apply: (data: Data, applying: Applying) => DatabaseWork<void>,
): EffectKind {
  return {
    kind,
    apply: ({ data, job, now }) => apply(data as unknown as Data, { runId: job.runId, now }),
  };
}

interface Applied<Data> {
  readonly data: Data;
  readonly runId: string;
}

/** For what happens to many visits at once. */
function effects<Data>(
  kind: string,
  applyAll: (applied: readonly Applied<Data>[], now: number) => DatabaseWork<void>,
): EffectKind {
  const all = (given: readonly EffectToApply[]) =>
    applyAll(
      given.map(({ data, job }) => ({ data: data as unknown as Data, runId: job.runId })),
      given[0]?.now ?? 0,
    );
  return { kind, apply: (one) => all([one]), applyAll: all };
}

function idsOf(applied: readonly Applied<{ readonly visitId: string }>[]) {
  return applied.map(({ data }) => ({ id: data.visitId }));
}

/** Items that had ended go on, and so do their foreaches. Gives the tasks of those that were held. */
function* reviveItems(visitIds: readonly string[]): DatabaseWork<readonly string[]> {
  const rows = yield* query(
    running
      .selectFrom("step_visit")
      .select("scope")
      .where("id", "in", [...visitIds]),
  );
  const places = rows.flatMap(({ scope }) => placeInForeach(scope) ?? []);
  if (places.length === 0) return [];
  yield* writeRows(
    REVIVE_ITEMS,
    places.map(({ containerId, index }) => ({ container_id: containerId, position: index })),
  );
  const containers = [...new Set(places.map(({ containerId }) => containerId))];
  const held = yield* query(
    running
      .selectFrom("step_visit")
      .select("id")
      .where("id", "in", containers)
      .where("is_held", "=", 1),
  );
  yield* writeRows(
    UNHOLD,
    held.map(({ id }) => ({ id })),
  );
  return held.map(({ id }) => id);
}

/** What a model or a person said of a task. */
function toldOf({
  visitId,
  output,
  summary,
  confidence,
  tags,
  info,
  by,
}: Omit<EndedData, "outcome">): Omit<TaskMove, "status"> {
  return {
    id: visitId,
    ...(output === undefined ? {} : { output }),
    ...(summary === undefined ? {} : { summary }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(info === undefined ? {} : { info }),
    ...(tags === undefined ? {} : { tags }),
    ...(by === undefined ? {} : { by }),
  };
}

const ID = { id: "text" } as const;
const REST = sqlForRows(
  ID,
  "update step_visit set is_resting = 1, waits = waits + 1 from {rows} where step_visit.id = x.id",
);
const UNHOLD = sqlForRows(
  ID,
  "update step_visit set is_held = 0 from {rows} where step_visit.id = x.id",
);
const END_VISITS = sqlForRows(
  { ...ID, outcome: "text", note: "text" },
  `update step_visit set outcome = x.outcome, is_held = 0, is_resting = 0, note = x.note from {rows}
   where step_visit.id = x.id`,
);
const BEGIN_AGAIN = sqlForRows(
  { ...ID, attempt: "int", note: "text", answered: "text" },
  `update step_visit set attempt = x.attempt, outcome = null, is_held = 0, is_resting = 0, is_routed = 0, is_failure = 0,
     is_last = 0, note = x.note, answered = coalesce(x.answered, step_visit.answered) from {rows} where step_visit.id = x.id`,
);
const MARK_CONTAINER = sqlText(
  "update step_visit set is_forced = ?, is_overdue = ?, is_held = 0 where id = ?",
);
const INSERT_MARK = sqlText(
  `insert into join_mark (run_id, scope, step, is_forced, is_overdue) values (?, ?, ?, ?, ?)
   on conflict (run_id, scope, step) do update set is_forced = excluded.is_forced, is_overdue = excluded.is_overdue`,
);
const REVIVE_ITEMS = sqlForRows(
  { container_id: "text", position: "int" },
  `update foreach_item set state = 'live' from {rows}
   where foreach_item.container_id = x.container_id and foreach_item.position = x.position and state = 'failed'`,
);
const DROP_VISITS = sqlForRows(
  ID,
  "update step_visit set is_routed = 1, is_dropped = 1, is_last = 0 from {rows} where step_visit.id = x.id",
);
const FORGET_LAST = sqlForRows(
  ID,
  "update step_visit set is_last = 0, is_failure = 0 from {rows} where step_visit.id = x.id",
);
const CLEAR_ARRIVALS = sqlForRows(
  { run_id: "text", step: "text" },
  "delete from join_arrival where scope = '' and (run_id, step) in (select run_id, step from {rows})",
  { sqlite: "delete from join_arrival where scope = '' and run_id = x.run_id and step = x.step" },
);
const SET_CAPS = sqlText("update workflow_progress set caps = ? where run_id = ?");
const RESET_ITEMS = sqlText(
  "update foreach_item set state = ? where container_id = ? and state = 'failed'",
);
