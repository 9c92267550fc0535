/**
 * What is measured, and the form of everything that can be measured.
 *
 * A step is trivial on purpose: it does nothing but store `PAYLOAD` durably. What remains is the
 * price of the engine itself.
 */

/** `runs` independent runs at the same time, each a line of `stepsPerRun` steps. */
export interface Sequences {
  readonly kind: "sequences";
  readonly name: "chain" | "100x10";
  readonly runs: number;
  readonly stepsPerRun: number;
}

/** One run whose first step opens `children` steps; one more step runs once, after the last of them. */
export interface Fan {
  readonly kind: "fan";
  readonly name: "fan";
  readonly children: number;
}

export type Shape = Sequences | Fan;

export const SHAPES = [
  { kind: "sequences", name: "chain", runs: 1, stepsPerRun: 1000 },
  { kind: "sequences", name: "100x10", runs: 100, stepsPerRun: 10 },
  { kind: "fan", name: "fan", children: 1000 },
] as const satisfies readonly Shape[];

/** What each step stores: 200 bytes. */
export const PAYLOAD = "0123456789".repeat(20);

/** A fact read back from the subject's own store after the measurement. */
export interface Check {
  readonly name: string;
  readonly expected: number;
  readonly found: number;
}

export interface Timing {
  readonly seconds: number;
  /** Syncs to disk made by this process; absent where nobody counts them. */
  readonly fsyncs?: number;
}

export interface Result extends Timing {
  /** Of a fan only the children count, neither the opening step nor the join. */
  readonly steps: number;
  readonly checks: readonly Check[];
}

/** Times the work alone: opening the store, migrations and checks stay outside. */
export type Stopwatch = (work: () => Promise<void>) => Promise<Timing>;

export interface EmbeddedSubject {
  readonly name: string;
  readonly storage: "sqlite";
  /** `directory` is empty, on a real disk, and removed afterwards. */
  run(shape: Shape, place: { directory: string; time: Stopwatch }): Promise<Result>;
}

export interface PostgresSubject {
  readonly name: string;
  readonly storage: "postgres";
  /** The database is fresh and empty, and dropped afterwards. */
  run(shape: Shape, place: { databaseUrl: string; time: Stopwatch }): Promise<Result>;
}

export type Subject = EmbeddedSubject | PostgresSubject;

/** What a subject's process prints: one line of this as JSON. */
export interface Sample extends Result {
  readonly peer: string;
  readonly storage: Subject["storage"];
  readonly shape: Shape["name"];
  readonly stepsPerSecond: number;
  /** Peak of the process, not of a database server beside it. */
  readonly rssMb: number;
}

export function stepCount(shape: Shape): number {
  return shape.kind === "fan" ? shape.children : shape.runs * shape.stepsPerRun;
}

export function failedChecks(checks: readonly Check[]): Check[] {
  return checks.filter((check) => check.found !== check.expected);
}

/** 0, 1, … count - 1. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
