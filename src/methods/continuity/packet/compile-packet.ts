/**
 * From what was gathered to the packet: planned, named, fitted, traced. No store, no clock: the same material
 * gives the same bytes. The ask and the return contract are always whole, the rest gives way in order.
 */

import { ProductError } from "../../../kernel/base/errors.ts";
import { hashJson } from "../../../kernel/base/hash.ts";
import { compilePrompt } from "../../../kernel/prompt/compile-prompt.ts";
import type { CompiledPrompt } from "../../../kernel/prompt/compiled-prompt.ts";
import type { Part } from "../../../kernel/prompt/part.ts";
import { createRedactor, type Redactions } from "../../../kernel/prompt/redactor.ts";
import { type ContextRef, contextRefsOf } from "./context-refs.ts";
import { planDecisionPacket } from "./decision-plan.ts";
import type { Intent } from "./intents.ts";
import { sourceTextsOf } from "./material-texts.ts";
import type { PacketMaterial, Total } from "./packet-material.ts";
import { type PacketAsk, type PacketPlan, required } from "./packet-plan.ts";
import type { PacketWords } from "./packet-words.ts";
import { planProjectPacket } from "./project-plan.ts";
import { planTaskPacket } from "./task-plan.ts";

export interface PacketOptions {
  readonly words: PacketWords;
  readonly intent: Intent | undefined;
  readonly budget: PacketBudget;
  readonly countTokens: (text: string) => number;
}

export interface PacketBudget {
  readonly characters: number;
  readonly tokens?: number | undefined;
}

export interface CompiledPacket {
  /** Stands in the return contract, so that an answer can say which packet it answers. */
  readonly name: string;
  readonly prompt: CompiledPrompt;
  readonly tokens: number;
  readonly contextRefs: readonly ContextRef[];
  readonly counts: PacketCounts;
}

/** What is in the packet of all there is, by kind. */
export type PacketCounts = Readonly<Record<string, { readonly chosen: number } & Total>>;

export function compilePacket(material: PacketMaterial, options: PacketOptions): CompiledPacket {
  const plan = planPacket(material, options);
  const redactions = redactionsOf(material);
  const name = nameOf(plan, options.budget, redactions);
  const contract = required(plan.contractLayer, [options.words.returnContract(name)]);
  const prompt = fit(plan, contract, options, redactions);
  return {
    name,
    prompt,
    tokens: options.countTokens(prompt.text),
    contextRefs: contextRefsOf(prompt),
    counts: countsOf(material),
  };
}

function planPacket(material: PacketMaterial, ask: PacketAsk): PacketPlan {
  switch (material.origin) {
    case "task":
      return planTaskPacket(material, ask);
    case "decision":
      return planDecisionPacket(material, ask);
    case "project": {
      const { intent, words } = ask;
      if (intent === undefined) throw intentMissing();
      return planProjectPacket(material, { intent, words });
    }
  }
}

export function intentMissing(): ProductError {
  return new ProductError("intent_missing", "A packet of a project needs an intent.", {
    hint: "Say what you want, as `intent`: `generate_next_actions`, `decide_between_options`, another one of `packet choices`, or your own words.",
  });
}

/** From what the packet says, so that the same packet always has the same name. */
function nameOf({ parts }: PacketPlan, budget: PacketBudget, redactions: Redactions): string {
  return hashJson({ parts, budget, redactions }).slice(0, 12);
}

function redactionsOf(material: PacketMaterial): Redactions {
  const places = sourceTextsOf(material).flatMap(({ ref, hidden }) =>
    hidden.map(({ start, end }) => ({ ref, start, end })),
  );
  return { texts: material.passages, places };
}

function fit(
  plan: PacketPlan,
  contract: Part,
  { budget, countTokens }: PacketOptions,
  redactions: Redactions,
): CompiledPrompt {
  const { characters, tokens } = budget;
  try {
    return compilePrompt(plan.layout, [...plan.parts, contract], {
      budget: tokens === undefined ? { characters } : { characters, tokens },
      countTokens,
      choice: { pins: plan.pins, fill: "in_order", leftOut: plan.leftOut },
      marker: { after: plan.contextEnd, isRequired: true },
      redactor: createRedactor(redactions),
    });
  } catch (error) {
    throw error instanceof ProductError && error.code === "prompt_over_budget"
      ? budgetTooSmall(error)
      : error;
  }
}

/** A wrong number in the request, not money that ran out. */
function budgetTooSmall(error: ProductError): ProductError {
  return new ProductError("packet_budget_too_small", error.message, {
    hint: error.hint ?? "Raise the budget.",
    details: error.details,
    cause: error,
  });
}

function countsOf(material: PacketMaterial): PacketCounts {
  if (material.origin !== "project") return {};
  const { tasks, decisions, highlights, conversations, totals } = material;
  return {
    tasks: { chosen: tasks.length, ...totals.tasks },
    decisions: { chosen: decisions.length, ...totals.decisions },
    highlights: { chosen: highlights.length, ...totals.highlights },
    conversations: { chosen: conversations.length, ...totals.conversations },
  };
}
