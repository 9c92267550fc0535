/** What we promise about our own rows. Missing one is reported with its number; it fails nothing. */

import type { Shape } from "./subject.ts";
import { type Baseline, type Row, ratio } from "./summary.ts";

interface SpeedTarget {
  readonly peer: string;
  readonly shape: Shape["name"];
  readonly times: Baseline;
  readonly atLeast: number;
  /** Hoped for, beyond what is promised. */
  readonly stretch?: true;
}

interface FsyncTarget {
  readonly peer: string;
  readonly shape: Shape["name"];
  readonly fsyncsPer1000StepsAtMost: number;
}

const SQLITE = "throughline-sqlite";
const POSTGRES = "throughline-postgres";
const BEST = "the best PostgreSQL peer";

const TARGETS: readonly (SpeedTarget | FsyncTarget)[] = [
  { peer: SQLITE, shape: "chain", times: "langgraph", atLeast: 1.35 },
  { peer: SQLITE, shape: "chain", times: "raw-sqlite", atLeast: 0.5, stretch: true },
  { peer: SQLITE, shape: "chain", fsyncsPer1000StepsAtMost: 1100 },
  { peer: SQLITE, shape: "100x10", times: "langgraph", atLeast: 3.1 },
  { peer: SQLITE, shape: "100x10", times: "langgraph", atLeast: 5, stretch: true },
  { peer: SQLITE, shape: "100x10", fsyncsPer1000StepsAtMost: 40 },
  { peer: SQLITE, shape: "fan", times: "langgraph", atLeast: 3.1 },
  { peer: SQLITE, shape: "fan", times: "langgraph", atLeast: 5, stretch: true },
  { peer: POSTGRES, shape: "chain", times: BEST, atLeast: 0.5 },
  { peer: POSTGRES, shape: "chain", times: BEST, atLeast: 0.85, stretch: true },
  { peer: POSTGRES, shape: "100x10", times: BEST, atLeast: 1.7 },
  { peer: POSTGRES, shape: "fan", times: BEST, atLeast: 1.7 },
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

function judgeSpeed(rows: readonly Row[], target: SpeedTarget): Verdict {
  const { peer, shape, times, atLeast, stretch } = target;
  const found = ratio(rows, peer, shape, times);
  return {
    peer,
    shape,
    target: `≥ ${atLeast} × ${times}${stretch ? " (stretch)" : ""}`,
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
