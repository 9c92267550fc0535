/** Operations in this process, with an engine of its own from the moment there is work. */

import { createOperationRegistry } from "../kernel/operation/operation-registry.ts";
import { createLocalClient } from "../surfaces/cli/local-client.ts";
import type { OperationClient } from "../surfaces/cli/operation-client.ts";
import { callerOf, findAdmin } from "./first-user.ts";
import { listOperations, NOUNS } from "./methods.ts";
import { openWorkspace, reportTrouble } from "./open-workspace.ts";
import { type RunningEngine, runEngineHere } from "./run-engine.ts";
import { tryLock, type WorkspaceLock } from "./workspace-lock.ts";

export async function connectHere(folder: string): Promise<OperationClient> {
  const workspace = await openWorkspace(folder);
  const { kernel, config, changes } = workspace;
  let lock: WorkspaceLock | undefined;
  let engine: Promise<RunningEngine> | undefined;
  workspace.onWake(() => {
    // An embedded workspace has one engine: if another process has it, that one does the work.
    if (config.database === undefined) lock ??= tryLock(folder);
    if (config.database === undefined && !lock) return;
    engine ??= runEngineHere(kernel, config, () => changes.notify());
    engine.then((running) => running.wake()).catch(reportTrouble);
  });
  const registry = createOperationRegistry(
    listOperations(() => folder),
    NOUNS,
  );
  return createLocalClient({
    kernel,
    registry,
    caller: callerOf(await findAdmin(kernel)),
    close: async () => {
      await (await engine)?.stop();
      await workspace.close();
      lock?.release();
    },
  });
}
