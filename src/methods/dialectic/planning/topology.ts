/** Who works on what: every step's partitions, from the slots and the number of reviewers alone. */

import type {
  CompiledDomain,
  CompiledStage,
  CompiledStep,
  Partition,
} from "../recipe/compiled-domain.ts";
import type { Identity } from "./identity.ts";

export interface Topology {
  /** How many slots there are; they are numbered from 1. */
  readonly slots: number;
  /** How many of them review each proposal; all unless given. */
  readonly reviewers?: number | undefined;
}

/** The slots after the proposal's own, in a round; its own comes last, so it reviews itself only when all do. */
export function reviewersOf(lineage: number, { slots, reviewers = slots }: Topology): number[] {
  const count = Math.min(slots, Math.max(1, reviewers));
  return Array.from({ length: count }, (_, i) => ((lineage + i) % slots) + 1).toSorted(
    (a, b) => a - b,
  );
}

export function slotsOf({ slots }: Topology): number[] {
  return Array.from({ length: slots }, (_, i) => i + 1);
}

/** Everything a step makes, one identity a job, in a fixed order. */
export function identitiesOf(step: CompiledStep, topology: Topology): readonly Identity[] {
  return spreadOf(step.stage, step.key, step.partition, topology);
}

export function spreadOf(
  stage: string,
  key: string,
  partition: Partition,
  topology: Topology,
): readonly Identity[] {
  const all = slotsOf(topology);
  const of = (slot: number, lineage: number | null, match: number | null): Identity => ({
    stage,
    step: key,
    slot,
    lineage,
    match,
  });
  if (partition === "slot") return all.map((slot) => of(slot, null, null));
  if (partition === "group") return all.map((lineage) => of(lineage, lineage, null));
  if (partition === "lineage") {
    return all.flatMap((slot) =>
      all
        .filter((lineage) => reviewersOf(lineage, topology).includes(slot))
        .map((lineage) => of(slot, lineage, null)),
    );
  }
  return all.flatMap((slot) =>
    all.flatMap((lineage) =>
      reviewersOf(lineage, topology).map((match) => of(slot, lineage, match)),
    ),
  );
}

export function countTurns(stage: CompiledStage, topology: Topology): number {
  return stage.steps.reduce((sum, step) => sum + identitiesOf(step, topology).length, 0);
}

export function countAllTurns(domain: CompiledDomain, topology: Topology): number {
  return domain.stages.reduce((sum, stage) => sum + countTurns(stage, topology), 0);
}
