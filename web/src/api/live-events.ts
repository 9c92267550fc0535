/**
 * The event log as it grows: one connection for all tabs of this browser, since a browser opens six to a server at
 * most. The tab that holds the lock reads and tells the others; where there are no locks, each tab reads for itself.
 * A lost connection is taken up again after the last event, so nothing is missed.
 */

import { request } from "./call.ts";
import { CallProblem } from "./call-problem.ts";
import type { Json } from "./operation.ts";
import { readSentEvents, type SentEvent } from "./sent-events.ts";

export interface LiveEvent {
  readonly cursor: string;
  /** A run id, a project id, or `workspace`. */
  readonly stream: string;
  /** `noun.past`. */
  readonly type: string;
  readonly projectId: string | null;
  readonly actor: string;
  readonly data?: Json;
  readonly at: number;
}

export type LiveState = "connecting" | "live" | "lost";

export interface LiveEvents {
  readonly state: () => LiveState;
  /** `onGap` is called when events may have been missed: everything shown is to be read again. */
  subscribe(listener: LiveListener): () => void;
  start(): () => void;
}

export interface LiveListener {
  readonly onEvents?: (events: readonly LiveEvent[]) => void;
  readonly onGap?: () => void;
  readonly onState?: (state: LiveState) => void;
}

type Told =
  | { readonly kind: "events"; readonly events: readonly LiveEvent[] }
  | { readonly kind: "gap" }
  | { readonly kind: "state"; readonly state: LiveState }
  | { readonly kind: "hello" };

/** Longer than two of the server's heartbeats. */
const SILENCE_MS = 35_000;
const RETRY_MS = 1000;
const RETRY_MOST_MS = 15_000;

export function createLiveEvents(): LiveEvents {
  const listeners = new Set<LiveListener>();
  let state: LiveState = "connecting";

  const hear = (told: Told) => {
    if (told.kind === "hello") return;
    if (told.kind === "state") state = told.state;
    for (const { onEvents, onGap, onState } of listeners) {
      if (told.kind === "events") onEvents?.(told.events);
      else if (told.kind === "gap") onGap?.();
      else onState?.(told.state);
    }
  };

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      const stop = new AbortController();
      const channel = new BroadcastChannel("live-events");
      const tell = (told: Told) => {
        channel.postMessage(told);
        hear(told);
      };
      let isReader = false;
      channel.addEventListener("message", ({ data }: MessageEvent<Told>) => {
        // A tab that has just come wants to know how things stand.
        if (data.kind === "hello" && isReader) channel.postMessage({ kind: "state", state });
        else hear(data);
      });
      channel.postMessage({ kind: "hello" });
      const read = async () => {
        isReader = true;
        // Who takes over from a closed tab does not know how far that one had read.
        await follow(tell, stop.signal);
      };
      const { locks } = navigator as { locks?: LockManager };
      const reading =
        locks === undefined
          ? read()
          : locks.request("live-events", { signal: stop.signal }, () => read());
      reading.catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
      return () => {
        stop.abort();
        channel.close();
      };
    },
  };
}

async function follow(tell: (told: Told) => void, stop: AbortSignal): Promise<void> {
  let cursor: string | undefined;
  let waitMs = RETRY_MS;
  while (!stop.aborted) {
    const silence = new AbortController();
    let watch = setTimeout(() => silence.abort(), SILENCE_MS);
    const take = (sent: readonly SentEvent[]) => {
      clearTimeout(watch);
      watch = setTimeout(() => silence.abort(), SILENCE_MS);
      cursor = sent.findLast(({ id }) => id !== undefined)?.id ?? cursor;
      const events = sent
        .filter(({ event }) => event !== "")
        .map(({ data }) => JSON.parse(data) as LiveEvent);
      if (events.length > 0) tell({ kind: "events", events });
    };
    try {
      const response = await request("/api/v1/events", {
        headers: cursor === undefined ? {} : { "last-event-id": cursor },
        signal: AbortSignal.any([stop, silence.signal]),
      });
      tell({ kind: "state", state: "live" });
      if (cursor === undefined) tell({ kind: "gap" });
      waitMs = RETRY_MS;
      await readSentEvents(response, take);
    } catch (error) {
      if (stop.aborted) return;
      // A place in the log that is no more: begin anew, and say that something may be missing.
      if (error instanceof CallProblem && error.status === 400) cursor = undefined;
    } finally {
      clearTimeout(watch);
    }
    tell({ kind: "state", state: "lost" });
    await pause(waitMs * (0.7 + 0.6 * Math.random()), stop);
    waitMs = Math.min(RETRY_MOST_MS, waitMs * 2);
  }
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
    // Coming back to the page or to the network is reason enough to try at once.
    addEventListener("online", () => resolve(), { once: true });
    document.addEventListener("visibilitychange", () => resolve(), { once: true });
  });
}
