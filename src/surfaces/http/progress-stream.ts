/**
 * A long operation over `Accept: text/event-stream`: `progress` events, then one `result` or `problem`.
 * A reader that lags sees the latest progress, not all of it, so nothing piles up.
 */

import type { Clock } from "../../kernel/base/clock.ts";
import type { Progress } from "../../kernel/operation/operation.ts";
import type { SentEvent } from "./server-sent-events.ts";

type Outcome = { readonly output: unknown } | { readonly error: unknown };

export interface ProgressStream {
  /** Undefined while it goes on; what it came to when it ended within `ms` and without a word of progress. */
  settleWithin(ms: number): Promise<Outcome | undefined>;
  events(options: {
    readonly heartbeatMs: number;
    readonly toProblem: (error: unknown) => unknown;
  }): AsyncGenerator<readonly SentEvent[], void>;
}

export function startProgressStream(
  clock: Clock,
  work: (report: (progress: Progress) => void) => Promise<unknown>,
): ProgressStream {
  let latest: Progress | undefined;
  let outcome: Outcome | undefined;
  let bell = new AbortController();
  const ring = () => bell.abort();
  const perform = async () => {
    try {
      outcome = {
        output: await work((progress) => {
          latest = progress;
          ring();
        }),
      };
    } catch (error) {
      outcome = { error };
    }
    ring();
  };
  void perform();

  return {
    async settleWithin(ms) {
      await clock.sleep(ms, bell.signal);
      return latest === undefined ? outcome : undefined;
    },
    async *events({ heartbeatMs, toProblem }) {
      for (;;) {
        if (latest === undefined && outcome === undefined)
          await clock.sleep(heartbeatMs, bell.signal);
        const progress = latest;
        const end = outcome;
        latest = undefined;
        bell = new AbortController();
        if (progress !== undefined) yield [{ event: "progress", data: progress }];
        else if (end === undefined) yield [{ comment: "alive" }];
        if (end !== undefined) {
          yield [
            "error" in end
              ? { event: "problem", data: toProblem(end.error) }
              : { event: "result", data: end.output ?? null },
          ];
          return;
        }
      }
    },
  };
}
