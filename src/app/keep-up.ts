/** What a running server does beside serving: what is due starts, others are told, the search index follows, interrupted imports go on, stale uploads go. */

import { createRunExporter } from "../adapters/telemetry/export-runs.ts";
import { readTelemetrySettings } from "../adapters/telemetry/telemetry-settings.ts";
import { postMessage } from "../adapters/webhook-sender/post-message.ts";
import { describeError } from "../kernel/base/errors.ts";
import { removeStaleUploads } from "../kernel/operation/uploads.ts";
import type { DatabaseWork } from "../kernel/store/database-work.ts";
import { refreshSearch } from "../kernel/store/search-index.ts";
import { resumeImports } from "../methods/continuity/import/resume-imports.ts";
import { sendNotices } from "../methods/notice/send-messages.ts";
import type { WorkView } from "../methods/pipeline/agents/free-tasks.ts";
import { pickUpTasks } from "../methods/pipeline/agents/pick-up-tasks.ts";
import { startDueSchedules } from "../methods/pipeline/starters/due-schedules.ts";
import { finishEndedRuns } from "../methods/session/bound-runs.ts";
import { checkTelemetryWay } from "./clear-address.ts";
import { reportTrouble, type Workspace } from "./open-workspace.ts";
import { sessionPorts as ports } from "./session-ports.ts";
import { PROGRAM } from "./program.ts";
import { webhookKey } from "./webhook-key.ts";

const STARTING_MS = 1000;
const SEARCH_MS = 1000;
const SEARCH_BUDGET_MS = 50;
const IMPORTS_MS = 15_000;
const NOTICES_MS = 1000;
const TELEMETRY_MS = 1000;
const UPLOADS_MS = 3_600_000;

export interface Upkeep {
  stop(): Promise<void>;
}

export interface UpkeepOptions {
  /** Whether agents take up their tasks here. */
  readonly agents: boolean;
}

export function keepUp(workspace: Workspace, { agents }: UpkeepOptions): Upkeep {
  const { kernel, config } = workspace;
  const noticeTools = { post: postMessage, findKey: async () => webhookKey(config.folder) };
  return repeat(workspace, [
    ...startingActions(workspace, { agents }),
    {
      everyMs: SEARCH_MS,
      act: () => refreshSearch(kernel.store, { clock: kernel.clock, budgetMs: SEARCH_BUDGET_MS }),
    },
    { everyMs: IMPORTS_MS, act: (signal) => resumeImports(kernel, signal) },
    { everyMs: NOTICES_MS, act: (signal) => sendNotices(kernel, noticeTools, signal) },
    ...telemetryActions(workspace),
    { everyMs: UPLOADS_MS, act: () => removeStaleUploads(kernel) },
  ]);
}

/** Off unless the environment says where it goes. */
function telemetryActions({ kernel }: Workspace): readonly Action[] {
  const settings = readTelemetrySettings(process.env);
  if (settings === undefined) return [];
  try {
    checkTelemetryWay([settings.tracesUrl, settings.metricsUrl], process.env);
  } catch (error) {
    reportTrouble(error);
    return [];
  }
  const exporter = createRunExporter(kernel, settings, PROGRAM.version);
  return [{ everyMs: TELEMETRY_MS, act: (signal) => exporter.exportEnded(signal) }];
}

/** For a worker: only what starts runs. One that is limited to a view takes up the tasks of it and nothing else. */
export function keepStarting(
  workspace: Workspace,
  findView?: () => DatabaseWork<WorkView>,
): Upkeep {
  return repeat(workspace, startingActions(workspace, { agents: true, findView }));
}

interface Action {
  readonly everyMs: number;
  readonly act: (signal: AbortSignal) => Promise<unknown>;
}

function startingActions(
  { kernel, config }: Workspace,
  {
    agents,
    findView,
  }: UpkeepOptions & { readonly findView?: (() => DatabaseWork<WorkView>) | undefined },
): readonly Action[] {
  const pickUp = { worker: kernel.ids.next(), most: config.concurrency, findView };
  const schedules = { everyMs: STARTING_MS, act: () => startDueSchedules(kernel) };
  const sessions = { everyMs: STARTING_MS, act: () => finishEndedRuns({ kernel, ports }) };
  const tasks = { everyMs: STARTING_MS, act: () => pickUpTasks(kernel, pickUp) };
  return [...(findView === undefined ? [schedules, sessions] : []), ...(agents ? [tasks] : [])];
}

function repeat({ kernel }: Workspace, actions: readonly Action[]): Upkeep {
  const stopping = new AbortController();
  const { signal } = stopping;
  const going = actions.map(async ({ everyMs, act }) => {
    let trouble: string | undefined;
    while (!signal.aborted) {
      try {
        await act(signal);
        trouble = undefined;
      } catch (error) {
        // The same trouble again says nothing new.
        const { message } = describeError(error);
        if (message !== trouble) reportTrouble(error);
        trouble = message;
      }
      await kernel.clock.sleep(everyMs, signal);
    }
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(going);
    },
  };
}
