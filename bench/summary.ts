/** From samples to the figures people read: medians, ratios, targets, tables. Pure. */

import type { Sample, Shape, Subject } from "./subject.ts";

export interface Figures {
  /** Median over the passes. */
  readonly stepsPerSecond: number;
  readonly slowest: number;
  readonly fastest: number;
  readonly fsyncsPer1000Steps?: number;
}

export interface Row {
  readonly peer: string;
  readonly storage: Subject["storage"];
  /** The highest peak over all shapes and passes. */
  readonly rssMb: number;
  readonly shapes: Partial<Record<Shape["name"], Figures>>;
}

export function summarise(samples: readonly Sample[]): Row[] {
  return Map.groupBy(samples, ({ peer }) => peer)
    .values()
    .flatMap((own) => own.slice(0, 1).map((first) => toRow(first, own)))
    .toArray();
}

function toRow({ peer, storage }: Sample, samples: readonly Sample[]): Row {
  const byShape = Map.groupBy(samples, ({ shape }) => shape);
  return {
    peer,
    storage,
    rssMb: Math.max(...samples.map(({ rssMb }) => rssMb)),
    shapes: Object.fromEntries(byShape.entries().map(([shape, own]) => [shape, toFigures(own)])),
  };
}

function toFigures(samples: readonly Sample[]): Figures {
  const speeds = samples.map(({ stepsPerSecond }) => stepsPerSecond);
  const fsyncs = samples.flatMap((sample) =>
    sample.fsyncs === undefined ? [] : [(sample.fsyncs / sample.steps) * 1000],
  );
  return {
    stepsPerSecond: median(speeds),
    slowest: Math.min(...speeds),
    fastest: Math.max(...speeds),
    ...(fsyncs.length === 0 ? {} : { fsyncsPer1000Steps: median(fsyncs) }),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error("No values, no median.");
  return (upper + lower) / 2;
}

/** A peer's name, or the fastest of those that are not ourselves on PostgreSQL. */
export type Baseline = "langgraph" | "raw-sqlite" | "the best PostgreSQL peer";

/** How many times as fast as the baseline; undefined when either was not measured. */
export function ratio(
  rows: readonly Row[],
  peer: string,
  shape: Shape["name"],
  baseline: Baseline,
): number | undefined {
  const own = speedOf(rows, peer, shape);
  const other =
    baseline === "the best PostgreSQL peer"
      ? bestPostgresPeer(rows, shape)
      : speedOf(rows, baseline, shape);
  return own === undefined || other === undefined ? undefined : own / other;
}

function speedOf(rows: readonly Row[], peer: string, shape: Shape["name"]): number | undefined {
  return rows.find((row) => row.peer === peer)?.shapes[shape]?.stepsPerSecond;
}

function bestPostgresPeer(rows: readonly Row[], shape: Shape["name"]): number | undefined {
  const speeds = rows
    .filter(({ peer, storage }) => storage === "postgres" && !isOurs(peer))
    .flatMap((row) => row.shapes[shape]?.stepsPerSecond ?? []);
  return speeds.length === 0 ? undefined : Math.max(...speeds);
}

export function isOurs(peer: string): boolean {
  return peer.startsWith("throughline");
}
