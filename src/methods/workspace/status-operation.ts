/** Where the workspace stands for this caller: what needs them, what runs, what went wrong, what was spent. */

import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../../kernel/operation/caller.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { asOfField } from "../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../kernel/operation/redacted-view.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { runMark, taskMark } from "../../kernel/operation/state-marks.ts";
import { blocks, clip, fieldLines, money, section } from "../../kernel/operation/terminal-text.ts";
import { timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { query } from "../../kernel/store/database-work.ts";
import type { RunState } from "../../kernel/store/engine-tables.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { findSetting } from "../../kernel/store/settings.ts";
import { seesProject, seesRun } from "../../kernel/store/visibility.ts";
import { listBudgets } from "./budget-operations.ts";
import { listOpenEntries } from "./inbox-rows.ts";
import { listRuns } from "./run-rows.ts";
import { runSummary } from "./run-shape.ts";
import { WORKSPACE_NAME } from "./setting-kinds.ts";
import { showTasks } from "./shown-tasks.ts";
import { listInOrder } from "./task-selection.ts";
import { taskSummary } from "./task-shape.ts";

const FEW = 5;
const LIVE: readonly RunState[] = ["queued", "running", "waiting", "paused"];
const NOT_OVER: readonly RunState[] = [...LIVE, "held"];

const statusShape = z.object({
  name: z.string().optional(),
  inbox: z.object({
    total: z.number().describe("What waits for you."),
    first: z.array(z.object({ id: z.string(), title: z.string(), createdAt: z.number() })),
  }),
  runs: z.object({
    byState: z.record(z.string(), z.number()).describe("How many are not over, by state."),
    live: z.array(runSummary).describe("The newest that are not over."),
    failed: z.array(runSummary).describe("The newest that failed or are held."),
  }),
  tasks: z.array(taskSummary).describe("What you are working on."),
  projects: z.number(),
  spend: z.object({
    day: z.string(),
    microUsd: z.number(),
    limitMicroUsd: z.number().nullable(),
  }),
  asOf: asOfField,
});

export const statusOperation: Operation = defineOperation({
  name: "workspace.show",
  summary:
    "Shows where things stand: what needs you, what runs, what failed, what was spent today.",
  effect: "reads",
  permission: "read",
  input: z.object({}),
  output: statusShape,
  surfaces: {
    cli: { words: ["status"], render: rendering(statusShape, renderStatus) },
    mcp: "full",
  },
  run: ({ kernel, caller }) =>
    kernel.store.read(function* () {
      const now = kernel.clock.now();
      const name = yield* findSetting({ scope: "workspace" }, WORKSPACE_NAME);
      const mine = { statuses: ["in_progress" as const], assigneeId: caller.userId };
      const tasks = yield* listInOrder(mine, caller, { order: "newest", limit: FEW });
      const [day] = yield* listBudgets(caller, now, "the day alone");
      return {
        name: typeof name?.value === "string" ? name.value : undefined,
        inbox: yield* inboxOf(caller, now),
        runs: {
          byState: yield* countRuns(caller),
          live: yield* newestRuns(caller, LIVE),
          failed: yield* newestRuns(caller, ["failed", "held"]),
        },
        tasks: yield* showTasks(tasks.items),
        projects: yield* countProjects(caller),
        spend: {
          day: day?.period ?? "",
          microUsd: day?.spent.microUsd ?? 0,
          limitMicroUsd: day?.limits.microUsd ?? null,
        },
        asOf: now,
      };
    }),
});

function* inboxOf(caller: Caller, now: number) {
  const filter = { isAll: false, snoozed: "no", now, limit: FEW, order: "oldest" } as const;
  const { items, total } = yield* listOpenEntries(filter, caller);
  const first: { id: string; title: string; createdAt: number }[] = [];
  for (const { id, title, createdAt, projectId } of items) {
    first.push({ id, title: yield* withoutRedactedPassages(title, projectId), createdAt });
  }
  return { total, first };
}

function* newestRuns(caller: Caller, states: Parameters<typeof listRuns>[0]["states"]) {
  const { items } = yield* listRuns({ states, isArchived: false, limit: FEW }, caller);
  return [...items];
}

/** Those that are over are not counted: there are ever more of them, and only the newest matter here. */
function* countRuns(caller: Caller): DatabaseWork<Record<string, number>> {
  const rows = yield* query(
    db
      .selectFrom("run")
      .select(["run.state", sql<number>`count(*)`.as("n")])
      .where("run.is_archived", "=", 0)
      .where("run.state", "in", NOT_OVER)
      .where(seesRun(caller))
      .groupBy("run.state"),
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

function* countProjects(caller: Caller): DatabaseWork<number> {
  const [row] = yield* query(
    db
      .selectFrom("project")
      .select(sql<number>`count(*)`.as("n"))
      .where("project.is_archived", "=", 0)
      .where(seesProject(caller)),
  );
  return row?.n ?? 0;
}

function renderStatus(status: z.output<typeof statusShape>): string {
  const { inbox, runs, tasks, spend, asOf } = status;
  const states = Object.entries(runs.byState).map(([state, n]) => `${n} ${state}`);
  const limit = spend.limitMicroUsd === null ? "" : ` of ${money(spend.limitMicroUsd)}`;
  const runLine = (run: (typeof runs.live)[number]) =>
    `${shortId(run.id)}  ${runMark(run.state)}  ${clip(run.title, 60)}  ${timeAgo(run.createdAt, asOf)}`;
  return blocks(
    status.name,
    fieldLines([
      [
        "inbox",
        inbox.total === 0
          ? "nothing waits for you"
          : `${inbox.total} ${inbox.total === 1 ? "waits" : "wait"} for you`,
      ],
      ["runs", states.join(", ") || "none under way"],
      ["projects", status.projects === 0 ? "none yet" : String(status.projects)],
      ["spent", `${money(spend.microUsd)}${limit} today`],
    ]),
    section(
      "Waits for you",
      inbox.first
        .map(
          ({ id, title, createdAt }) =>
            `${shortId(id)}  ${clip(title, 70)}  ${timeAgo(createdAt, asOf)}`,
        )
        .join("\n"),
    ),
    section("Under way", runs.live.map(runLine).join("\n")),
    section("Went wrong", runs.failed.map(runLine).join("\n")),
    section(
      "You are on",
      tasks
        .map((task) => `${shortId(task.id)}  ${taskMark(task.status)}  ${clip(task.title, 70)}`)
        .join("\n"),
    ),
  );
}
