/** When a message that was not taken is sent again, and when nobody tries any more. */

import { hashText } from "../../kernel/base/hash.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After the first try, the second, and so on: ten tries in about a day and a half. */
const PAUSES = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
];

export interface Tried {
  readonly id: string;
  /** 1 after the first. */
  readonly attempts: number;
  /** What the receiver asked for. */
  readonly retryAfterMs?: number | undefined;
}

/** Undefined when it was the last. Up to a fifth later, by the message's own chance, so that a receiver that comes back is not run over. */
export function nextTry({ id, attempts, retryAfterMs = 0 }: Tried): number | undefined {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return undefined;
  const chance = Number.parseInt(hashText(`${id} ${attempts}`).slice(0, 4), 16) / 0xffff;
  return Math.max(Math.round(pause * (1 + chance / 5)), Math.min(retryAfterMs, DAY));
}

const DAY = 24 * HOUR;
