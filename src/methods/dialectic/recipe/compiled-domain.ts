/** A domain as the engine uses it: every input knows its producer, every step what it is done for. */

import type { OverlayValues } from "./domain-file.ts";
import type { Granularity, InputRule, RecipeStep } from "./recipe-file.ts";
import type { DocumentShape } from "./resolve-document.ts";

export interface CompiledDomain {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly stages: readonly CompiledStage[];
  /** System under domain. */
  readonly overlays: OverlayValues;
}

export interface CompiledStage {
  readonly key: string;
  readonly title: string;
  readonly name: string;
  readonly description: string;
  readonly seedTemplate: string;
  /** In an order in which every step comes after those it needs. */
  readonly steps: readonly CompiledStep[];
  /** The file it was read from. */
  readonly path: string;
}

/** What a step is done once for: a slot, a proposal and a slot that looks at it, a proposal alone, a proposal with one review. */
export type Partition = "slot" | "lineage" | "group" | "pair";

export interface CompiledStep
  extends Pick<
    RecipeStep,
    | "key"
    | "name"
    | "objective"
    | "promptType"
    | "promptTemplate"
    | "outputType"
    | "outputDescription"
    | "documentKey"
  > {
  readonly stage: string;
  /** In the order of the file, from 1. */
  readonly number: number;
  readonly granularity: Granularity;
  readonly partition: Partition;
  readonly inputs: readonly CompiledInput[];
  readonly shape: DocumentShape;
  /** Of a planner: the documents it plans, in the order of their steps. */
  readonly plans: readonly DocumentShape[];
  /** Whether it is the first planner of its stage. */
  readonly isFirstHeader: boolean;
  /** As in names of files. */
  readonly fileName: string;
}

export interface CompiledInput extends InputRule {
  readonly relevance: number;
  /** Absent for what no step produces: seeds, the request. */
  readonly producer?: Producer;
}

export interface Producer {
  readonly stage: string;
  readonly step: string;
  readonly partition: Partition;
}

export function stageOf(domain: CompiledDomain, key: string): CompiledStage {
  const found = domain.stages.find((stage) => stage.key === key);
  if (found === undefined) throw new Error(`"${domain.key}" has no stage "${key}".`);
  return found;
}

export function stepOf(domain: CompiledDomain, stage: string, key: string): CompiledStep {
  const found = stageOf(domain, stage).steps.find((step) => step.key === key);
  if (found === undefined) throw new Error(`Stage "${stage}" has no step "${key}".`);
  return found;
}
