/**
 * Everything that may end a call from our side: the caller's abort, the idle limit, the total limit,
 * the size limit. One `AbortController` frees the connection in every case.
 */

import { ModelError } from "../../kernel/model/model-error.ts";
import type { CallLimits } from "./ai-sdk-config.ts";

export interface GuardedCall {
  readonly signal: AbortSignal;
  /** Set as soon as we ended the call ourselves; whatever the streams throw then is only an echo. */
  readonly verdict: ModelError | undefined;
  end(verdict: ModelError): void;
  /** Rejects with the verdict at once, however long `promise` takes to notice. */
  race<Value>(promise: PromiseLike<Value>): Promise<Value>;
  /** Waits for bytes; the idle limit runs only meanwhile, so a slow listener is no stall. */
  awaitBytes<Value>(promise: PromiseLike<Value>): Promise<Value>;
  /** Must be called when the call is over, however it ended. */
  close(): void;
}

export function guardCall(caller: AbortSignal, limits: CallLimits, provider: string): GuardedCall {
  const controller = new AbortController();
  let verdict: ModelError | undefined;
  let interrupt: (() => void) | undefined;

  const end = (reason: ModelError) => {
    verdict ??= reason;
    controller.abort();
    interrupt?.();
  };
  const onAbort = () => end(new ModelError("aborted", `The call to ${provider} was cancelled.`));
  const total = setTimeout(() => end(timedOut(provider, limits.totalMs)), limits.totalMs);
  let idle: NodeJS.Timeout | undefined;
  caller.addEventListener("abort", onAbort, { once: true });
  if (caller.aborted) onAbort();

  return {
    signal: controller.signal,
    get verdict() {
      return verdict;
    },
    end,
    race: (promise) =>
      new Promise((resolve, reject) => {
        interrupt = () => reject(verdict);
        promise.then(resolve, reject);
        if (verdict) reject(verdict);
      }),
    async awaitBytes(promise) {
      idle = setTimeout(() => end(stalled(provider, limits.idleMs)), limits.idleMs);
      try {
        return await promise;
      } finally {
        clearTimeout(idle);
      }
    },
    close() {
      clearTimeout(total);
      clearTimeout(idle);
      caller.removeEventListener("abort", onAbort);
      controller.abort();
    },
  };
}

function timedOut(provider: string, totalMs: number): ModelError {
  return new ModelError("timeout", `${provider} did not finish within ${totalMs / 1000} s.`);
}

function stalled(provider: string, idleMs: number): ModelError {
  return new ModelError("stalled", `${provider} sent nothing for ${idleMs / 1000} s.`);
}
