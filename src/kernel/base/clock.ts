/** Time is passed in everywhere, so that tests and simulations own it. */

export interface Clock {
  /** Epoch milliseconds. May jump; use it for facts, never for durations. */
  now(): number;
  /** Milliseconds that only ever grow; use it for durations. */
  elapsed(): number;
  /** Resolves after `ms`, or at once when the signal aborts; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
    }),
};
