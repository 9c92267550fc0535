/** What prompts of a domain may name. Models are never told who wrote what. */

import type { Identity } from "../planning/identity.ts";
import { letterOf } from "../planning/identity.ts";
import type { PromptValues } from "../prompts/prompt-parts.ts";
import type { CompiledStage, CompiledStep } from "../recipe/compiled-domain.ts";
import type { Session } from "./load-session.ts";

export function promptValues(
  { row, slots }: Session,
  stage: CompiledStage,
  step?: CompiledStep,
  identity?: Identity,
): PromptValues {
  const lineage = identity?.lineage ?? identity?.slot;
  return {
    stage_title: stage.title,
    iteration: row.iteration,
    slot_count: slots.length,
    proposal_count: slots.length,
    step_name: step?.name ?? "",
    document_title: step?.shape.title ?? "",
    proposal: lineage === undefined ? "the proposal" : proposalName(lineage),
    reviewer: identity?.match == null ? "the reviewer" : reviewerName(identity.match),
  };
}

export function proposalName(slot: number): string {
  return `Proposal ${letterOf(slot)}`;
}

export function reviewerName(slot: number): string {
  return `Reviewer ${letterOf(slot)}`;
}
