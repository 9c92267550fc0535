/** Chance that can be repeated: the same seed throws the same dice. */

export interface Dice {
  /** A whole number from 0 up to, not including, `count`. */
  below(count: number): number;
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
  pick<Value>(values: readonly Value[]): Value | undefined;
}

/** `hash` is hex; its first 16 digits seed the dice. */
export function createDice(hash: string): Dice {
  let a = Number.parseInt(hash.slice(0, 8), 16) | 0;
  let b = Number.parseInt(hash.slice(8, 16), 16) | 0;
  // xorshift over two words, added up: short, and good enough to vary sentences and faults.
  const next = () => {
    const sum = (a + b) | 0;
    b ^= a;
    a = ((a << 26) | (a >>> 6)) ^ b ^ (b << 9);
    b = (b << 13) | (b >>> 19);
    return Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d) >>> 0;
  };
  if ((a | b) === 0) a = 1;
  next();
  const below = (count: number) => (count <= 1 ? 0 : Math.floor((next() / 0x1_0000_0000) * count));
  return {
    below,
    pick: <Value>(values: readonly Value[]) => values[below(values.length)] as Value,
  };
}

/** From 0 up to, not including, 1; independent of the dice seeded by the same hash. */
export function fractionOf(hash: string): number {
  return Number.parseInt(hash.slice(16, 28), 16) / 2 ** 48;
}
