/** What prompts of a domain may name. Models are never told who wrote what. */

import type { Identity } from "../planning/identity.ts";
import { letterOf } from "../planning/identity.ts";
import type { PromptValues } from "../prompts/prompt-parts.ts";
import {
  type CompiledDomain,
  type CompiledStage,
  type CompiledStep,
  type Partition,
  stageOf,
  stepOf,
} from "../recipe/compiled-domain.ts";
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

/**
 * What a prompt calls something it gives to read: `Business Case, Proposal A`, `Risk Register (Review), Reviewer B
 * on Proposal A`, `Master Plan (Planning), Set A`. Which document, of which stage, and whose, by neutral names:
 * nobody is told which of them is their own.
 */
export function materialName(domain: CompiledDomain, identity: Identity): string {
  const { shape, partition } = stepOf(domain, identity.stage, identity.step);
  const { key, title } = stageOf(domain, identity.stage);
  // Proposals are what the first stage makes, and nothing else is called so.
  if (key === domain.stages[0]?.key) return `${shape.title}, ${proposalName(identity.slot)}`;
  return `${shape.title} (${title}), ${whoseOf(identity, partition)}`;
}

function whoseOf({ slot, lineage, match }: Identity, partition: Partition): string {
  if (lineage === null) return `Set ${letterOf(slot)}`;
  const about = proposalName(lineage);
  if (partition === "group") return `the author of ${about}`;
  if (match === null) return `${reviewerName(slot)} on ${about}`;
  return `${about} with ${reviewerName(match)}, by Editor ${letterOf(slot)}`;
}

function proposalName(slot: number): string {
  return `Proposal ${letterOf(slot)}`;
}

function reviewerName(slot: number): string {
  return `Reviewer ${letterOf(slot)}`;
}
