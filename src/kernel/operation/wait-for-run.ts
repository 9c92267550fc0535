/** Waits until a run has ended or cannot go on without a person. */

import { ProductError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import { isEnded } from "../run/run-state.ts";
import { queryFirst } from "../store/database-work.ts";
import type { RunState } from "../store/engine-tables.ts";
import { db } from "../store/query-builder.ts";
import type { Kernel } from "./kernel.ts";

export interface RunEnd {
  readonly state: RunState;
  readonly result: Json | undefined;
  readonly reason: string | undefined;
}

export async function waitForRun(
  kernel: Kernel,
  runId: string,
  signal: AbortSignal,
): Promise<RunEnd> {
  const { store, changes } = kernel;
  let wake = () => {};
  const unsubscribe = changes.subscribe(() => wake());
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const run = await store.read(() =>
        queryFirst(
          db.selectFrom("run").select(["state", "result", "reason"]).where("id", "=", runId),
        ),
      );
      if (!run)
        throw new ProductError("run_not_found", `There is no run "${runId}".`, {
          kind: "not_found",
        });
      if (isEnded(run.state) || run.state === "held" || run.state === "paused") {
        return {
          state: run.state,
          result: run.result === null ? undefined : (JSON.parse(run.result) as Json),
          reason:
            run.reason === null
              ? undefined
              : (JSON.parse(run.reason) as { message: string }).message,
        };
      }
      signal.throwIfAborted();
      await changed;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    unsubscribe();
  }
}
