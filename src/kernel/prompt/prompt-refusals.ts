/** The ways in which a prompt is refused rather than made wrong. */

import { ProductError } from "../base/errors.ts";
import { groupDigits } from "./group-digits.ts";
import type { Cost } from "./pack-problem.ts";

export interface PartSize {
  readonly part: string;
  readonly characters: number;
}

/** What must be in does not fit: cutting it would lose the task or the form of the answer. */
export function overBudget(needs: Cost, budget: Cost, parts: readonly PartSize[]): ProductError {
  const tooLong = needs.characters > budget.characters;
  const unit = tooLong ? "characters" : "tokens";
  const needed = groupDigits(needs[unit]);
  const largest = parts.toSorted((a, b) => b.characters - a.characters).slice(0, 3);
  const named = largest.map(({ part, characters }) => `${part} (${groupDigits(characters)})`);
  return new ProductError(
    "prompt_over_budget",
    `What the prompt must hold needs ${needed} ${unit}; the budget is ${groupDigits(budget[unit])}.`,
    {
      kind: "budget",
      hint: `Raise the budget to ${needed} ${unit} or shorten the largest: ${named.join(", ")}.`,
      details: {
        unit,
        needs: needs[unit],
        budget: budget[unit],
        parts: parts.map(({ part, characters }) => ({ part, characters })),
      },
    },
  );
}

export interface MissingContext {
  readonly layer: string;
  /** In words. */
  readonly what: string;
  readonly isRedacted: boolean;
}

export function contextMissing(missing: readonly MissingContext[]): ProductError {
  const named = missing.map(({ what, isRedacted }) => (isRedacted ? `${what} (redacted)` : what));
  return new ProductError(
    "prompt_context_missing",
    `The prompt cannot be made without what is missing: ${named.join(", ")}.`,
    {
      hint: missing.every(({ isRedacted }) => isRedacted)
        ? "It is redacted. Lift the redaction, or start from something else."
        : "Fill in what is missing, then compile again.",
      details: { missing },
    },
  );
}

export function pinRefused(part: string, why: string): ProductError {
  return new ProductError("prompt_pin_refused", `Part "${part}" cannot be pinned: ${why}.`, {
    hint: "Take the pin off, or make the part available to this prompt.",
    details: { part },
  });
}

export function banRefused(part: string): ProductError {
  return new ProductError(
    "prompt_ban_refused",
    `Part "${part}" cannot be left out: the prompt does not work without it.`,
    {
      hint: "Take the ban off; only parts that are not required can be banned.",
      details: { part },
    },
  );
}

/** A mistake in the code that made the parts, not in the data. */
export function partInvalid(part: string, why: string): ProductError {
  return new ProductError("prompt_part_invalid", `Part "${part}" ${why}.`, {
    kind: "internal",
    details: { part },
  });
}

export function layerUnknown(layer: string): ProductError {
  return new ProductError("prompt_layer_unknown", `There is no layer "${layer}".`, {
    kind: "internal",
    details: { layer },
  });
}

export function layerRepeated(layer: string): ProductError {
  return new ProductError("prompt_layer_repeated", `There are two layers "${layer}".`, {
    kind: "internal",
    details: { layer },
  });
}

export function counterMissing(): ProductError {
  return new ProductError(
    "prompt_counter_missing",
    "A budget in tokens needs a function that counts them.",
    { kind: "internal", hint: "Pass `countTokens`, or give the budget in characters." },
  );
}

export function redactionFailed(): ProductError {
  return new ProductError(
    "prompt_redaction_failed",
    "The prompt still holds redacted text outside of its parts.",
    {
      kind: "internal",
      hint: "A heading, a separator or a marker holds it; change that or lift the redaction.",
    },
  );
}
