/** Where two lines differ: what lies between their common beginning and their common end, cut at words. */

export interface Middle {
  readonly start: number;
  readonly end: number;
}

export function changedMiddle(before: string, after: string): readonly [Middle, Middle] {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  while (start > 0 && isWord(before[start - 1]) && (isWord(before[start]) || isWord(after[start])))
    start -= 1;
  let tail = 0;
  while (
    tail < shortest - start &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  while (tail > 0 && isWord(before[before.length - tail]) && isCutWord(before, after, tail))
    tail -= 1;
  return [
    { start, end: before.length - tail },
    { start, end: after.length - tail },
  ];
}

function isCutWord(before: string, after: string, tail: number): boolean {
  return isWord(before[before.length - tail - 1]) || isWord(after[after.length - tail - 1]);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character);
}
