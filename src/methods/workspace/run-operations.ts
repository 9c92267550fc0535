/** Runs: looking at them and steering them, whatever method they belong to. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { lifecycleOperations } from "../../kernel/operation/lifecycle-operations.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  archivedField,
  idField,
  isArchivedFilter,
  orderField,
  pageFields,
  projectField,
  userField,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import {
  resolveOptional,
  resolveProject,
  resolveUser,
} from "../../kernel/operation/resolve-names.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import {
  cancelRun,
  pauseRun,
  resumeRun,
  retryRun,
  type RunControl,
} from "../../kernel/run/run-control.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { listStream } from "./event-rows.ts";
import { archiveRun, deleteRun, listRunAlong, restoreRun } from "./run-archive.ts";
import { limitRun } from "./run-limit-operation.ts";
import { countChildRuns, countOfRun, listChildRuns, listOpenWaits } from "./run-parts.ts";
import { getRun, listRuns, listSteps } from "./run-rows.ts";
import { eventList, RUN_STATES, runDetail, runList, runShape } from "./run-shape.ts";
import { renderEvents, renderRun, renderRunList } from "./run-view.ts";

const list = defineOperation({
  name: "run.list",
  summary: "Lists runs of every method, newest first.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    state: z.array(z.enum(RUN_STATES)).optional().describe("Only in one of these states."),
    method: z.string().max(100).optional().describe("Only of this method, such as `ask`."),
    startedBy: userField.optional().describe("Only started by this person; `me` for your own."),
    parent: z.string().min(1).max(100).optional().describe("Only those that this run started."),
    archived: archivedField,
    order: orderField,
    ...pageFields,
  }),
  output: runList,
  surfaces: {
    cli: {
      examples: ["run list --state running --state waiting", "run list --started-by me"],
      render: rendering(runList, renderRunList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, state, startedBy, parent, archived, ...rest }) =>
    kernel.store.read(function* () {
      const { items, nextCursor } = yield* listRuns(
        {
          ...rest,
          states: state,
          projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
          startedBy: yield* resolveOptional(startedBy, (text) => resolveUser(text, caller)),
          parentRunId: yield* resolveOptional(parent, (text) => resolveId("run", text, caller)),
          isArchived: isArchivedFilter(archived),
        },
        caller,
      );
      return { items: [...items], nextCursor, asOf: kernel.clock.now() };
    }),
});

const show = defineOperation({
  name: "run.show",
  summary: "Shows a run: state and reason, steps, what it waits for, what it used and left.",
  effect: "reads",
  permission: "read",
  input: z.object({ runId: idField("run") }),
  output: runDetail,
  surfaces: {
    cli: {
      positionals: ["runId"],
      render: rendering(runDetail, renderRun),
      examples: ["run show 0199a1b2-c3d4"],
    },
    mcp: "core",
    resource: {
      title: "Runs",
      key: "runId",
      list: { operation: "run.list", name: "title" },
    },
  },
  run: ({ kernel, caller }, { runId }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("run", runId, caller);
      const found = yield* getRun(id, caller);
      return {
        run: found,
        steps: yield* listSteps(id),
        waits: yield* listOpenWaits(id, found.projectId),
        children: yield* listChildRuns(id, found.projectId),
        childRuns: yield* countChildRuns(id),
        exchanges: yield* countOfRun("exchange", id),
        artifacts: yield* countOfRun("artifact", id),
        asOf: kernel.clock.now(),
      };
    }),
});

const events = defineOperation({
  name: "run.events",
  summary: "Tells what happened in a run, event by event.",
  effect: "reads",
  permission: "read",
  input: z.object({ runId: idField("run"), order: orderField.default("oldest"), ...pageFields }),
  output: eventList,
  surfaces: {
    cli: { positionals: ["runId"], render: rendering(eventList, renderEvents) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { runId, ...page }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("run", runId, caller);
      return { ...(yield* listStream(id, page)), asOf: kernel.clock.now() };
    }),
});

function controlOperation(
  verb: "pause" | "resume" | "cancel" | "retry",
  summary: string,
  control: RunControl,
): Operation {
  return defineOperation({
    name: `run.${verb}`,
    summary,
    effect: "writes",
    permission: "run",
    projectScope: { runId: "run" },
    input: z.object({ runId: idField("run") }),
    output: runShape,
    surfaces: {
      cli: {
        positionals: ["runId"],
        examples: [`run ${verb} 0199a1b2-c3d4`],
        render: rendering(runShape, ({ id, title, state }) =>
          doneLine(`Run ${shortId(id)} "${title}" is ${state}.`),
        ),
      },
      mcp: "full",
    },
    run: async (context, { runId }) => {
      const { kernel, caller } = context;
      const after = await change(context, function* ({ actor, now }) {
        const id = yield* resolveId("run", runId, caller);
        yield* control(kernel.engine, id, actor, now);
        return yield* getRun(id, caller);
      });
      kernel.wake();
      return after;
    },
  });
}

const controls: readonly Operation[] = [
  controlOperation(
    "pause",
    "Pauses a run: what is under way finishes, nothing new starts.",
    pauseRun,
  ),
  controlOperation("resume", "Lets a paused run, or one that a limit stopped, go on.", resumeRun),
  controlOperation("cancel", "Cancels a run for good, with everything it still owns.", cancelRun),
  controlOperation("retry", "Lets everything that is held in a run try again.", retryHeld),
];

const lifecycle = lifecycleOperations({
  noun: "run",
  permission: "run",
  deletePermission: "administer",
  output: runShape,
  archiveSummary: "Archives a run that has ended: lists leave it out.",
  deleteSummary:
    "Deletes a run that has ended with its exchanges; its events stay as a trail. Refused while others are built on it.",
  find: (given, caller) => resolveId("run", given, caller),
  archive: archiveRun,
  restore: restoreRun,
  remove: deleteRun,
  goesAlong: listRunAlong,
});

export const runOperations: readonly Operation[] = [
  list,
  show,
  events,
  ...controls,
  limitRun,
  ...lifecycle,
];

function* retryHeld(...args: Parameters<RunControl>): DatabaseWork<void> {
  if ((yield* retryRun(...args)) > 0) return;
  throw new ProductError("run_not_held", "Nothing in this run is held.", {
    kind: "conflict",
    hint: "`run show` says what state it is in; a run that has ended is started anew.",
  });
}
