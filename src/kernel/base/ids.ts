/**
 * Identities are UUIDv7: they sort by time of creation, so indexes on them only grow at the end.
 * Within one source they strictly increase, also inside a millisecond and when the clock steps back.
 */

import { randomBytes } from "node:crypto";
import type { Clock } from "./clock.ts";

export interface IdSource {
  next(): string;
}

/** `random` must give `count` fresh bytes; a seeded one makes every id of a simulation repeatable. */
export function createIdSource(
  clock: Pick<Clock, "now">,
  random: (count: number) => Uint8Array = randomBytes,
): IdSource {
  const nextHex = pooledHex(random);
  let lastMs = 0;
  let counter = 0;
  return {
    next() {
      const now = clock.now();
      if (now > lastMs) {
        lastMs = now;
        counter = 0;
      } else if (++counter > 0xfff) {
        lastMs += 1;
        counter = 0;
      }
      return format(lastMs, counter, nextHex());
    },
  };
}

export function isId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
}

function format(ms: number, counter: number, tail: string): string {
  const time = ms.toString(16).padStart(12, "0");
  const variant = "89ab".charAt(Number.parseInt(tail.charAt(0), 16) & 3);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`;
}

const RANDOM_BYTES = 8;
const HEX = RANDOM_BYTES * 2;
const IDS_AT_ONCE = 512;

/** One call to the operating system, and one conversion, for some hundred ids instead of one each. */
function pooledHex(random: (count: number) => Uint8Array): () => string {
  let pool = "";
  let used = 0;
  return () => {
    if (used === pool.length) {
      pool = Buffer.from(random(RANDOM_BYTES * IDS_AT_ONCE)).toString("hex");
      used = 0;
    }
    used += HEX;
    return pool.slice(used - HEX, used);
  };
}
