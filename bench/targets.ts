/** What we promise about our own rows. Missing one is reported with its number; it fails nothing. */

import type { Shape } from "./subject.ts";
import { type Baseline, type Row, ratio } from "./summary.ts";

interface SpeedTarget {
  readonly peer: string;
  readonly shape: Shape["name"];
  readonly times: Baseline;
  readonly atLeast: number;
}

interface FsyncTarget {
  readonly peer: string;
  readonly shape: Shape["name"];
  readonly fsyncsPer1000StepsAtMost: number;
}

const TARGETS: readonly (SpeedTarget | FsyncTarget)[] = [
  { peer: "throughline-sqlite", shape: "chain", times: "langgraph", atLeast: 1.35 },
  { peer: "throughline-sqlite", shape: "chain", times: "raw-sqlite", atLeast: 0.5 },
  { peer: "throughline-sqlite", shape: "100x10", times: "langgraph", atLeast: 3.1 },
  { peer: "throughline-sqlite", shape: "fan", times: "langgraph", atLeast: 3.1 },
  { peer: "throughline-sqlite", shape: "chain", fsyncsPer1000StepsAtMost: 1100 },
  { peer: "throughline-sqlite", shape: "100x10", fsyncsPer1000StepsAtMost: 40 },
  { peer: "throughline-postgres", shape: "chain", times: "the best PostgreSQL peer", atLeast: 0.5 },
  {
    peer: "throughline-postgres",
    shape: "100x10",
    times: "the best PostgreSQL peer",
    atLeast: 1.7,
  },
  { peer: "throughline-postgres", shape: "fan", times: "the best PostgreSQL peer", atLeast: 1.7 },
];

export interface Verdict {
  readonly peer: string;
  readonly shape: Shape["name"];
  readonly target: string;
  readonly found: number | undefined;
  readonly met: boolean | undefined;
}

/** Empty until one of our own subjects was measured. */
export function judge(rows: readonly Row[]): Verdict[] {
  return TARGETS.filter((target) => rows.some(({ peer }) => peer === target.peer)).map((target) =>
    "times" in target ? judgeSpeed(rows, target) : judgeFsyncs(rows, target),
  );
}

function judgeSpeed(rows: readonly Row[], { peer, shape, times, atLeast }: SpeedTarget): Verdict {
  const found = ratio(rows, peer, shape, times);
  return {
    peer,
    shape,
    target: `≥ ${atLeast} × ${times}`,
    found,
    met: found === undefined ? undefined : found >= atLeast,
  };
}

function judgeFsyncs(
  rows: readonly Row[],
  { peer, shape, fsyncsPer1000StepsAtMost: most }: FsyncTarget,
): Verdict {
  const found = rows.find((row) => row.peer === peer)?.shapes[shape]?.fsyncsPer1000Steps;
  return {
    peer,
    shape,
    target: `≤ ${most} fsyncs per 1,000 steps`,
    found,
    met: found === undefined ? undefined : found <= most,
  };
}
