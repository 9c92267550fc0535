/** Which events are worth telling other programs of, and what they are told. Facts and ids, no words of a person or a model. */

import { hashText } from "../../kernel/base/hash.ts";
import { isJsonObject, type JsonObject } from "../../kernel/base/json.ts";
import { LIMIT_REACHED } from "../../kernel/run/limits.ts";
import type { Event } from "../../kernel/store/events.ts";

export const NOTICE_KINDS = ["run.finished", "run.waiting", "budget.reached"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

const ENDS: Readonly<Record<string, string>> = {
  "run.completed": "completed",
  "run.failed": "failed",
  "run.cancelled": "cancelled",
};

export interface Notable {
  readonly kind: NoticeKind;
  readonly data: JsonObject;
}

/** Undefined for everything that nobody outside waits for. */
export function notableIn({ type, data }: Pick<Event, "type" | "data">): Notable | undefined {
  const state = ENDS[type];
  if (state !== undefined) return { kind: "run.finished", data: { state } };
  if (type !== "wait.opened" || !isJsonObject(data)) return undefined;
  const { wait = null, kind = null } = data;
  return {
    kind: kind === LIMIT_REACHED ? "budget.reached" : "run.waiting",
    data: { waitId: wait, waitKind: kind },
  };
}

/** The same for the same event and the same notice: a receiver that has seen it has seen it. */
export function messageId(
  noticeId: string,
  { stream, seq }: Pick<Event, "stream" | "seq">,
): string {
  return `msg_${hashText(`${noticeId} ${stream} ${seq}`).slice(0, 32)}`;
}

export function messageBody({ kind, data }: Notable, at: number, run: JsonObject): string {
  return JSON.stringify({
    type: kind,
    timestamp: new Date(at).toISOString(),
    data: { ...run, ...data },
  });
}
