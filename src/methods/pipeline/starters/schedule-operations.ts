/** Workflows that start at set times. */

import { z } from "zod";
import { notFound } from "../../../kernel/base/errors.ts";
import type { JsonObject } from "../../../kernel/base/json.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import { becauseField, expectedVersionField } from "../../../kernel/operation/operation-fields.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { oneLine } from "../../../kernel/operation/terminal-text.ts";
import { toCells } from "../../../kernel/store/cells.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { placeOfWorkflow } from "../catalogue/resolve-workflow.ts";
import { RUN_FOLLOWED } from "../running/run-followed.ts";
import { inputWhenDue } from "./due-input.ts";
import {
  scheduleDetail,
  scheduleField,
  scheduleFields,
  scheduleList,
  scheduleShape,
  showSchedules,
} from "./schedule-shape.ts";
import { changedLine, renderSchedule, renderSchedules } from "./schedule-view.ts";
import {
  deleteSchedule,
  findSchedule,
  insertSchedule,
  setScheduleEnabled,
  upcoming,
  updateSchedule,
} from "./schedules.ts";
import { chooseWorkflow, startFrom } from "./started-workflow.ts";
import { deleteOperation, listOperation, switchOperation } from "./starter-operations.ts";
import { placeOfStarter, resolveStarter } from "./starter-rows.ts";
import { starterFields } from "./starter-shape.ts";
import type { ScheduleTable } from "./starter-tables.ts";
import { checkZone } from "./time-zone.ts";

const place = placeOfStarter("schedule");
const UPCOMING = 5;

const list = listOperation({
  noun: "schedule",
  summary: "Lists schedules with when each is due next.",
  output: scheduleList,
  show: showSchedules,
  render: renderSchedules,
});

const show = defineOperation({
  name: "schedule.show",
  summary: "Shows a schedule with its next times and what became of the last.",
  effect: "reads",
  permission: "read",
  input: z.object({ scheduleId: scheduleField }),
  output: scheduleDetail,
  surfaces: {
    cli: { positionals: ["scheduleId"], render: rendering(scheduleDetail, renderSchedule) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { scheduleId }) =>
    kernel.store.read(function* () {
      const row = yield* getSchedule(scheduleId, caller);
      const now = kernel.clock.now();
      const next = row.is_enabled === 1 ? upcoming(row, now, UPCOMING) : [];
      return { ...(yield* showOne(row)), upcoming: next, asOf: now };
    }),
});

const add = defineOperation({
  name: "schedule.add",
  summary: "Has a workflow start by itself at set times.",
  effect: "writes",
  permission: "run",
  projectScope: { project: "project", workflow: placeOfWorkflow },
  input: z.object({
    ...starterFields,
    cron: scheduleFields.cron,
    timeZone: scheduleFields.timeZone.default("UTC"),
    name: scheduleFields.name
      .optional()
      .describe("What it is called; as the workflow unless given."),
    skipBusy: scheduleFields.skipBusy.default(false),
  }),
  output: scheduleShape,
  surfaces: {
    cli: {
      positionals: ["workflow", "cron"],
      examples: [
        'schedule add "PR review" "30 7 * * mon-fri" --time-zone Europe/Berlin --set prNumber=7',
        'schedule add library:research @daily --set question="What changed since {{due.date}}?"',
      ],
      render: rendering(scheduleShape, (schedule) => changedLine("Added", schedule)),
      unserved: waitsForItsTime,
    },
    mcp: "full",
  },
  run: async (context, { name, cron, timeZone, skipBusy, ...given }) => {
    const { kernel } = context;
    if (given.model !== undefined) await kernel.models.find(given.model);
    const id = kernel.ids.next();
    return change(context, function* (act) {
      const { name: usual, chosen } = yield* chooseWorkflow(context, given, act);
      checkInput(chosen.input, timeZone);
      const times = { cron, time_zone: timeZone, skips_busy: skipBusy ? 1 : 0 };
      const row = yield* insertSchedule({ ...chosen, ...times, id, name: name ?? usual }, act);
      return yield* showOne(row);
    });
  },
});

function* waitsForItsTime(output: unknown): DatabaseWork<string | undefined> {
  const { nextAt } = scheduleShape.parse(output);
  return nextAt === undefined ? undefined : "Schedules start their runs while a server is there.";
}

const update = defineOperation({
  name: "schedule.update",
  summary: "Changes a schedule; its runs act with your rights from then on.",
  effect: "writes",
  permission: "run",
  projectScope: { scheduleId: place, project: "project", workflow: placeOfWorkflow },
  input: z.object({
    scheduleId: scheduleField,
    name: scheduleFields.name.optional(),
    cron: scheduleFields.cron.optional(),
    timeZone: scheduleFields.timeZone.optional(),
    skipBusy: scheduleFields.skipBusy.optional(),
    ...starterFields,
    workflow: starterFields.workflow.optional(),
    workflowVersion: starterFields.workflowVersion.nullable(),
    model: starterFields.model.nullable(),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: scheduleShape,
  surfaces: {
    cli: {
      positionals: ["scheduleId"],
      examples: ['schedule update "PR review" --cron "0 9 * * mon"'],
      render: rendering(scheduleShape, (schedule) => changedLine("Changed", schedule)),
      unserved: waitsForItsTime,
    },
    mcp: "full",
  },
  run: async (context, { scheduleId, because, expectedVersion, ...given }) => {
    const { kernel, caller } = context;
    if (typeof given.model === "string") await kernel.models.find(given.model);
    return change(
      context,
      function* (act) {
        const before = yield* getSchedule(scheduleId, caller);
        const { name, cron, timeZone, skipBusy, ...choice } = given;
        const { chosen } = yield* chooseWorkflow(context, choice, act, before);
        checkInput(chosen.input, timeZone ?? before.time_zone);
        const said = toCells({ name, cron, timeZone, skipsBusy: skipBusy });
        const patch = { ...chosen, ...(said as Partial<ScheduleTable>) };
        return yield* showOne(yield* updateSchedule(before.id, patch, act, expectedVersion));
      },
      because,
    );
  },
});

const pause = switchOperation({
  noun: "schedule",
  verb: "pause",
  summary: "Lets a schedule rest; times that pass meanwhile are not made up for.",
  output: scheduleShape,
  *apply(id, act, expectedVersion) {
    return yield* showOne(yield* setScheduleEnabled(id, false, act, expectedVersion));
  },
  render: (schedule) => changedLine("Paused", schedule),
});

const resume = switchOperation({
  noun: "schedule",
  verb: "resume",
  summary: "Lets a paused schedule go on, from its next time.",
  output: scheduleShape,
  *apply(id, act, expectedVersion) {
    return yield* showOne(yield* setScheduleEnabled(id, true, act, expectedVersion));
  },
  render: (schedule) => changedLine("Resumed", schedule),
  unserved: waitsForItsTime,
});

const remove = deleteOperation("schedule", deleteSchedule);

const startedShape = z.object({ runId: z.string(), workflow: z.string() });

const run = defineOperation({
  name: "schedule.run",
  summary: "Starts now what a schedule would start, with your rights; its times stay as they are.",
  effect: "writes",
  permission: "run",
  projectScope: { scheduleId: place },
  input: z.object({ scheduleId: scheduleField }),
  output: startedShape,
  surfaces: {
    cli: {
      positionals: ["scheduleId"],
      follow: RUN_FOLLOWED,
      render: rendering(startedShape, ({ runId, workflow }) =>
        doneLine(
          `Started "${oneLine(workflow)}" as ${shortId(runId)}. \`step list ${shortId(runId)} --follow\` shows it live.`,
        ),
      ),
    },
    mcp: "full",
  },
  run: async (context, { scheduleId }) => {
    const { kernel, caller } = context;
    const model = await kernel.models.defaultModel();
    const tools = { engine: kernel.engine, library: kernel.library, model };
    const started = await change(context, function* ({ now }) {
      const row = yield* getSchedule(scheduleId, caller);
      const input = inputWhenDue(JSON.parse(row.input) as JsonObject, now, row.time_zone);
      const runId = yield* startFrom(tools, { ...row, runs_as: caller.userId }, input, now);
      return { runId, workflow: (yield* showOne(row)).workflow };
    });
    kernel.wake();
    return started;
  },
});

export const scheduleOperations: readonly Operation[] = [
  list,
  show,
  add,
  update,
  pause,
  resume,
  remove,
  run,
];

function* getSchedule(given: string, caller: Caller): DatabaseWork<ScheduleTable> {
  const row = yield* findSchedule(yield* resolveStarter("schedule", given, caller));
  if (row === undefined) throw notFound("schedule", given);
  return row;
}

function* showOne(row: ScheduleTable): DatabaseWork<z.input<typeof scheduleShape>> {
  const [shown] = yield* showSchedules([row]);
  if (shown === undefined) throw notFound("schedule", row.id);
  return shown;
}

/** A place that no time fills shows now, not in the night. */
function checkInput(input: string, timeZone: string): void {
  inputWhenDue(JSON.parse(input) as JsonObject, 0, checkZone(timeZone));
}
