/** Milliseconds as the few figures that tell how people fared. */

export interface Percentiles {
  readonly n: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function percentiles(milliseconds: readonly number[]): Percentiles {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
    return Math.round((sorted[index] ?? 0) * 100) / 100;
  };
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
