/** Agents take up what is assigned to them: each task once, however many processes look for it. */

import type { Kernel } from "../../../kernel/operation/kernel.ts";
import type { EngineTools } from "../../../kernel/run/engine-transaction.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import { findForChange } from "../../../kernel/store/audited-rows.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { lockName } from "../../../kernel/store/lock-name.ts";
import type { TaskTable } from "../../../kernel/store/noun-tables.ts";
import { toTask } from "../../../kernel/store/task.ts";
import { TASKS } from "../../../kernel/store/tasks.ts";
import { starters } from "../starters/starter-tables.ts";
import {
  ALL_TASKS,
  type FreeTask,
  hasFreeTasks,
  isStillFree,
  listFreeTasks,
  type WorkView,
} from "./free-tasks.ts";
import { startTask } from "./start-task.ts";
import { unannounced } from "./view-queue.ts";

export interface PickUp {
  /** Names this process: what it has taken up and not done yet counts against `most`. */
  readonly worker: string;
  readonly most: number;
  /** Asked every time, so that a change of a saved view counts at once. */
  readonly findView?: (() => DatabaseWork<WorkView>) | undefined;
}

/** However much room there is, one commit takes up no more than this. */
const AT_ONCE = 50;

/** Gives how many it took up; they are carried out by the engine. */
export async function pickUpTasks(kernel: Kernel, pickUp: PickUp): Promise<number> {
  const { store, clock, models } = kernel;
  const isAny = await store.read(function* () {
    return yield* hasFreeTasks(yield* viewOf(pickUp));
  });
  if (!isAny) return 0;
  const defaultModel = await models.defaultModel();
  const now = clock.now();
  const started = await store.write(() =>
    takeUp(kernel.engine, pickUp, defaultModel, { actor: "engine", now }),
  );
  if (started > 0) kernel.wake();
  return started;
}

function* takeUp(
  engine: EngineTools,
  pickUp: PickUp,
  defaultModel: string,
  act: Act,
): DatabaseWork<number> {
  yield* lockName("take up tasks");
  const view = yield* viewOf(pickUp);
  const room = Math.min(AT_ONCE, pickUp.most - (yield* countUnderWay(pickUp.worker)));
  if (room <= 0) return 0;
  const tools = view.name === undefined ? engine : unannounced(engine);
  let started = 0;
  for (const free of yield* listFreeTasks(view, room)) {
    const row = yield* findForChange(TASKS, free.id);
    if (!isStillFree(row, free)) continue;
    const start = {
      agentId: free.agentId,
      model: free.model ?? defaultModel,
      startedBy: yield* starterOf(row, free),
      worker: pickUp.worker,
      view: view.name,
    };
    yield* startTask(tools, toTask(row), start, act);
    started += 1;
  }
  return started;
}

function* viewOf({ findView }: PickUp): DatabaseWork<WorkView> {
  return findView === undefined ? ALL_TASKS : yield* findView();
}

/** What waits for people makes room. */
function* countUnderWay(worker: string): DatabaseWork<number> {
  const [row] = yield* query(
    starters
      .selectFrom("run")
      .innerJoin("agent_run", "agent_run.run_id", "run.id")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("run.state", "in", ["queued", "running"])
      .where("agent_run.worker", "=", worker),
  );
  return row?.count ?? 0;
}

/** Whoever made the task asked for the work; what the engine made is the agent's own. */
function* starterOf(row: TaskTable, { agentId }: FreeTask): DatabaseWork<string> {
  const maker = yield* queryFirst(
    starters.selectFrom("user").select("id").where("id", "=", row.created_by),
  );
  return maker?.id ?? agentId;
}
