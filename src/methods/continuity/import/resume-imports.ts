/** Imports that were interrupted, gone on with: an import that was begun is finished unless somebody stops it. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { authorise } from "../../../kernel/operation/authorise.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import type { Kernel } from "../../../kernel/operation/kernel.ts";
import { openUpload, removeUpload } from "../../../kernel/operation/uploads.ts";
import { findUser } from "../../../kernel/store/users.ts";
import { listInterrupted } from "./import-rows.ts";
import type { ImportTable } from "./import-tables.ts";
import { claimImport, endImport } from "./import-work.ts";
import { workerName } from "./import-worker.ts";
import { runImport } from "./run-import.ts";

/** One after the other, until the signal; those of other processes that are at work are left alone. */
export async function resumeImports(kernel: Kernel, signal: AbortSignal): Promise<void> {
  const { store, clock } = kernel;
  for (const found of await store.read(() => listInterrupted(clock.now()))) {
    if (signal.aborted) return;
    const worker = { id: found.id, worker: workerName(kernel.ids.next()) };
    const claimed = await store.write(() => claimImport(worker, clock.now(), found.worker));
    if (claimed !== undefined) await goOn(kernel, claimed, signal);
  }
}

async function goOn(kernel: Kernel, row: ImportTable, signal: AbortSignal): Promise<void> {
  const { store, clock } = kernel;
  const worker = { id: row.id, worker: row.worker };
  try {
    const caller = await callerOf(kernel, row.started_by);
    authorise(caller, { name: "import.resume", permission: "edit" });
    const { upload, path: place } = await openUpload(kernel, caller, row.upload_id);
    await runImport(kernel, worker, {
      place,
      name: upload.name,
      bytes: upload.bytes,
      branches: row.branches,
      projectId: row.project_id ?? undefined,
      caller,
      signal,
      report: () => undefined,
    });
    await removeUpload(kernel, caller, row.upload_id);
  } catch (error) {
    if (signal.aborted) return;
    // Its record says why; whatever is no foreseen failure must be heard of here as well.
    const reason = error instanceof Error ? error.message : String(error);
    const end = { state: "failed" as const, reason };
    await store.write(() => endImport(worker, end, { actor: row.started_by, now: clock.now() }));
    kernel.changes.notify();
    if (!(error instanceof ProductError)) throw error;
  }
}

/** With the rights they have now, which may be fewer than when it began. */
async function callerOf(kernel: Kernel, userId: string): Promise<Caller> {
  const user = await kernel.store.read(() => findUser(userId));
  if (user === undefined || !user.isActive) {
    throw new ProductError(
      "import_starter_gone",
      "Whoever began the import is not active any more.",
      {
        kind: "not_allowed",
      },
    );
  }
  const { id, displayName, role, isAgent } = user;
  return { userId: id, name: displayName, role, isAgent, scopes: undefined };
}
