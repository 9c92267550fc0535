/**
 * `work`: one more worker, any number of them on one PostgreSQL. With a saved view it takes up the tasks of that view
 * and does nothing else. An embedded workspace has one worker; where no server runs, that may be one with a view, which
 * then also does whatever else there is to do.
 */

import { ProductError } from "../kernel/base/errors.ts";
import type { DatabaseWork } from "../kernel/store/database-work.ts";
import type { WorkView } from "../methods/pipeline/agents/free-tasks.ts";
import { viewQueue } from "../methods/pipeline/agents/view-queue.ts";
import { getView, type NamedView, selectionOf } from "../methods/workspace/saved-views.ts";
import { readConfig } from "./config.ts";
import { keepStarting } from "./keep-up.ts";
import { openWorkspace, preloadHandlers, type Workspace } from "./open-workspace.ts";
import { runEngineHere } from "./run-engine.ts";
import { lockOrRefuse } from "./workspace-lock.ts";

export interface WorkOptions {
  readonly concurrency?: number | undefined;
  readonly view?: string | undefined;
}

export interface Working {
  /** Where its data is, for people to read. */
  readonly location: string;
  stop(): Promise<void>;
}

export async function work(folder: string, { concurrency, view }: WorkOptions): Promise<Working> {
  const isEmbedded = readConfig(folder, process.env).database === undefined;
  if (isEmbedded && view === undefined) throw needsPostgres();
  const lock = isEmbedded ? lockOrRefuse(folder) : undefined;
  await preloadHandlers();
  const opened = await openWorkspace(folder);
  const limit = concurrency === undefined ? {} : { concurrency };
  const workspace = { ...opened, config: { ...opened.config, ...limit } };
  const { kernel, config } = workspace;
  const findView = view === undefined ? undefined : () => findWorkView(view);
  const stopStore = async () => {
    await workspace.close();
    lock?.release();
  };
  try {
    if (findView !== undefined) await kernel.store.read(findView);
  } catch (error) {
    await stopStore();
    throw error;
  }
  const limited = isEmbedded || view === undefined ? kernel : limitedTo(kernel, view);
  const engine = await runEngineHere(limited, config, () => undefined);
  workspace.onWake(() => engine.wake());
  const starting = keepStarting({ ...workspace, kernel: limited }, findView);
  return {
    location: kernel.store.location,
    stop: async () => {
      await starting.stop();
      await engine.stop();
      await stopStore();
    },
  };
}

function limitedTo(kernel: Workspace["kernel"], view: string): Workspace["kernel"] {
  const queue = viewQueue(kernel.engine.queue, view);
  return { ...kernel, engine: { ...kernel.engine, queue } };
}

/** Refuses views in which no agent ever finds anything to do. */
function* findWorkView(name: string): DatabaseWork<WorkView> {
  const view = yield* getView(name);
  const why = whyIdle(view);
  if (why === undefined) return { name, selection: selectionOf(view, ""), order: view.order };
  throw new ProductError("view_without_agents", `The view "${name}" shows ${why}.`, {
    kind: "conflict",
    hint: "A worker takes up pending tasks of agents: save the view so that it shows some.",
  });
}

function whyIdle({ assigneeId, statuses }: NamedView): string | undefined {
  if (assigneeId === null) return "tasks that nobody has";
  if (assigneeId === "me") return "tasks of whoever looks at it";
  return (statuses?.includes("pending") ?? true) ? undefined : "no pending tasks";
}

function needsPostgres(): ProductError {
  return new ProductError(
    "work_needs_postgres",
    "This workspace is embedded: its server is its only worker.",
    {
      kind: "conflict",
      hint: "Use `serve` here, or set a PostgreSQL address in config.json to spread the work over machines.",
    },
  );
}
