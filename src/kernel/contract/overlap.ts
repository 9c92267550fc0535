/** How much of the end of one text is the beginning of another, in linear time. */

export interface Overlap {
  readonly length: number;
  /**
   * True when the shared piece is one pattern over and over (a ruled line, a run of zeros): then it
   * is as likely the next stretch of the run as a repetition of the last one.
   */
  readonly isPeriodic: boolean;
}

export function longestOverlap(end: string, begin: string): Overlap {
  const longest = Math.min(end.length, begin.length);
  const pattern = begin.slice(0, longest);
  const borders = bordersOf(pattern);
  const tail = end.slice(end.length - longest);
  let matched = 0;
  for (let at = 0; at < tail.length; at += 1) {
    while (matched > 0 && (matched === longest || tail[at] !== pattern[matched])) {
      matched = borders[matched - 1] ?? 0;
    }
    if (tail[at] === pattern[matched]) matched += 1;
  }
  const period = matched === 0 ? 0 : matched - (borders[matched - 1] ?? 0);
  return { length: matched, isPeriodic: matched > 0 && period * 2 <= matched };
}

/** For each prefix, the length of its longest proper prefix that is also its end. */
function bordersOf(pattern: string): Int32Array {
  const borders = new Int32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < pattern.length; at += 1) {
    while (length > 0 && pattern[at] !== pattern[length]) length = borders[length - 1] ?? 0;
    if (pattern[at] === pattern[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** Shorter pieces that are both an end of the one and a beginning of the other, longest first. */
export function overlapLengths(end: string, begin: string, least: number): number[] {
  const { length } = longestOverlap(end, begin);
  const shared = begin.slice(0, length);
  const borders = bordersOf(shared);
  const lengths: number[] = [];
  for (let at = length; at >= least && at > 0; at = borders[at - 1] ?? 0) lengths.push(at);
  return lengths;
}
