/** Operations in this process, with an engine of its own from the moment there is work. */

import type { Caller } from "../kernel/operation/caller.ts";
import type { Kernel } from "../kernel/operation/kernel.ts";
import { registryByNoun } from "../kernel/operation/registry-by-noun.ts";
import { countUnfinished } from "../kernel/run/count-unfinished.ts";
import { createLocalClient } from "../surfaces/cli/local-client.ts";
import type { OperationClient } from "../surfaces/cli/operation-client.ts";
import type { Extension } from "./extension.ts";
import { callerOf, findAdmin } from "./first-user.ts";
import { listNouns } from "./methods.ts";
import { openWorkspace, reportTrouble } from "./open-workspace.ts";
import type { RunningEngine } from "./run-engine.ts";
import { tryLock, type WorkspaceLock } from "./workspace-lock.ts";

export interface HereOptions {
  /** Held already by whoever opens it; otherwise it is asked for when there is work. */
  readonly lock?: WorkspaceLock | undefined;
  readonly extension?: Extension | undefined;
}

export interface Here {
  readonly kernel: Kernel;
  /** Whoever can open the workspace's files owns it. */
  readonly caller: Caller;
  /** Gives how many runs have more to do and were carried on here until now. */
  close(): Promise<number>;
}

export async function openHere(folder: string, options: HereOptions = {}): Promise<Here> {
  let { lock } = options;
  const workspace = await openWorkspace(folder, { extension: options.extension }).catch(
    (error: unknown) => {
      lock?.release();
      throw error;
    },
  );
  const { kernel, config, changes } = workspace;
  let engine: Promise<RunningEngine> | undefined;
  const startEngine = async (): Promise<RunningEngine> => {
    const { runEngineHere } = await import("./run-engine.ts");
    return runEngineHere(kernel, config, () => changes.notify());
  };
  workspace.onWake(() => {
    // An embedded workspace has one engine: if another process has it, that one does the work.
    if (config.database === undefined) lock ??= tryLock(folder);
    if (config.database === undefined && !lock) return;
    engine ??= startEngine();
    engine.then((running) => running.wake()).catch(reportTrouble);
  });
  return {
    kernel,
    caller: callerOf(await findAdmin(kernel)),
    close: async () => {
      await (await engine)?.stop();
      // Beside a PostgreSQL there may be others.
      const isAlone = engine !== undefined && config.database === undefined;
      const unfinished = isAlone ? await kernel.store.read(countUnfinished) : 0;
      if (engine !== undefined) {
        const { finishEndedRuns } = await import("../methods/session/bound-runs.ts");
        const { sessionPorts } = await import("./session-ports.ts");
        await finishEndedRuns({ kernel, ports: sessionPorts });
      }
      await workspace.close();
      lock?.release();
      lock = undefined;
      return unfinished;
    },
  };
}

export async function connectHere(folder: string): Promise<OperationClient> {
  const here = await openHere(folder);
  const client = createLocalClient({ ...here, load: registryByNoun(listNouns(() => folder)) });
  return {
    ...client,
    events: (selection, signal, onCurrent) => {
      // Whoever watches one thing waits for it to go on, and where no server runs nobody else carries it on.
      if (selection.streams !== undefined) here.kernel.wake();
      return client.events(selection, signal, onCurrent);
    },
  };
}
