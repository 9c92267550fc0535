/** One input of a step: where it comes from, how relevant it is, what the step is done once for. */

import { nearMatches } from "../../../kernel/contract/near-match.ts";
import type { CompiledInput, Partition, Producer } from "./compiled-domain.ts";
import type { Draft, DraftStep } from "./recipe-draft.ts";
import { granularityOf } from "./recipe-draft.ts";
import {
  type Granularity,
  type InputRule,
  type InputType,
  type RecipeStep,
  type RelevanceRule,
} from "./recipe-file.ts";
import { type ProblemList } from "./recipe-problem.ts";

const OUTPUT_FOR: Readonly<Partial<Record<InputType, RecipeStep["outputType"]>>> = {
  document: "RenderedDocument",
  contribution: "AssembledDocumentJson",
  header_context: "HeaderContext",
};

export function compileInput(
  draft: Draft,
  own: DraftStep,
  input: InputRule,
  at: number,
): CompiledInput | undefined {
  const { problems, content } = draft;
  const { step, stage, stageIndex, index, file } = own;
  const place = (...rest: readonly string[]) => ["steps", index, "inputsRequired", at, ...rest];
  const relevance = relevanceOf(draft, own, input, at);
  if (input.type === "seed_prompt") {
    if (input.stage !== stage) {
      const message = `A step reads the seed prompt of its own stage, "${stage}", not of "${input.stage}".`;
      problems.add(file, place("stage"), "unknown_producer", message);
    }
    return relevance === undefined ? undefined : { ...input, relevance };
  }
  if (input.type === "project_resource") {
    if (input.stage !== "project" || input.documentKey !== "initial_user_prompt") {
      const message = `There is no project resource "${input.documentKey}".`;
      const hint = 'There is one: stage "project", documentKey "initial_user_prompt".';
      problems.add(file, place("documentKey"), "unknown_producer", message, hint);
    }
    return relevance === undefined ? undefined : { ...input, relevance };
  }
  const producers = draft.steps.filter(
    (each) => each.stage === input.stage && each.step.documentKey === input.documentKey,
  );
  const [found] = producers;
  if (found === undefined) {
    const known = draft.steps.filter((each) => each.stage === input.stage);
    const near = nearMatches(
      input.documentKey,
      known.map((each) => each.step.documentKey),
    );
    const message = content.domain.stages.includes(input.stage)
      ? `Nothing in stage "${input.stage}" produces "${input.documentKey}".`
      : `There is no stage "${input.stage}".`;
    const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : undefined;
    problems.add(file, place("documentKey"), "unknown_producer", message, hint);
    return undefined;
  }
  if (found.stageIndex > stageIndex && input.from === "current" && input.type !== "feedback") {
    const message = `"${input.documentKey}" is produced by "${input.stage}", which comes later.`;
    const hint = 'Read what the iteration before left with `"from": "previous"`.';
    problems.add(file, place("stage"), "unknown_producer", message, hint);
  }
  if (input.type === "feedback" && input.required) {
    const message = "Feedback cannot be required: nobody has to give any.";
    problems.add(file, place("required"), "wrong_type", message);
  }
  if (input.from === "previous" && input.required) {
    const message = "The first iteration has none before it, so this input cannot be required.";
    problems.add(file, place("required"), "wrong_type", message);
  }
  const wanted = OUTPUT_FOR[input.type];
  if (wanted !== undefined && found.step.outputType !== wanted) {
    const message = `"${input.documentKey}" is a ${found.step.outputType}, not what a ${input.type} is.`;
    problems.add(file, place("type"), "wrong_type", message);
  }
  const partition = partitionAt(draft, found, new Set([step.key]));
  if (relevance === undefined || partition === undefined) return undefined;
  const producer: Producer = { stage: found.stage, step: found.step.key, partition };
  return { ...input, relevance, producer };
}

function relevanceOf(
  { problems }: Draft,
  { step, index, file }: DraftStep,
  input: InputRule,
  at: number,
): number | undefined {
  const rules = step.inputsRelevance.filter((rule) => isAbout(rule, input));
  const [rule] = rules;
  if (rule !== undefined && rules.length === 1) return rule.relevance;
  const what = `${input.type} "${input.documentKey}" of ${input.stage}`;
  const place = ["steps", index, "inputsRequired", at];
  if (rule === undefined) {
    const message = `Nothing says how relevant the ${what} is.`;
    problems.add(file, place, "missing_relevance", message, "Add a rule to `inputsRelevance`.");
  } else {
    const message = `${rules.length} rules say how relevant the ${what} is.`;
    problems.add(file, place, "ambiguous_relevance", message, "Add `type` and `stage` to them.");
  }
  return undefined;
}

function isAbout(rule: RelevanceRule, input: InputRule): boolean {
  if (rule.documentKey !== input.documentKey) return false;
  if (rule.stage !== undefined && rule.stage !== input.stage) return false;
  return rule.type === undefined ? input.type !== "feedback" : rule.type === input.type;
}

export function checkRules({ step, index, file }: DraftStep, problems: ProblemList): void {
  for (const [at, rule] of step.inputsRelevance.entries()) {
    if (step.inputsRequired.some((input) => isAbout(rule, input))) continue;
    const message = `The rule about "${rule.documentKey}" is about no input of this step.`;
    const place = ["steps", index, "inputsRelevance", at];
    problems.add(file, place, "unmatched_relevance", message);
  }
}

/** Of a step that is not compiled yet; undefined where it cannot be said, which is a problem told elsewhere. */
function partitionAt(
  draft: Draft,
  own: DraftStep,
  asked: ReadonlySet<string>,
): Partition | undefined {
  switch (granularityOf(own.step.granularity)) {
    case "all_to_one":
    case "per_model":
      return "slot";
    case "per_source_document_by_lineage":
      return "lineage";
    case "per_source_group":
      return "group";
    case "pairwise_by_origin":
      return "pair";
    case "per_source_document": {
      const source = sourceOf(own.step);
      const found = draft.steps.find(
        (each) => each.stage === source?.stage && each.step.documentKey === source.documentKey,
      );
      if (found === undefined || asked.has(found.step.key)) return "slot";
      return partitionAt(draft, found, new Set([...asked, found.step.key]));
    }
    default:
      return undefined;
  }
}

/** What a step is done once for: its header, else the first thing it needs. */
function sourceOf<Input extends InputRule>(step: {
  readonly inputsRequired: readonly Input[];
}): Input | undefined {
  const single = step.inputsRequired.filter(({ required, multiple }) => required && !multiple);
  return single.find(({ type }) => type === "header_context") ?? single[0];
}

export function partitionOf(
  draft: Draft,
  own: DraftStep,
  granularity: Granularity,
  inputs: readonly (CompiledInput | undefined)[],
): Partition | undefined {
  const has = (partition: Partition) =>
    inputs.some(
      (input) =>
        input?.producer?.partition === partition &&
        input.type !== "header_context" &&
        input.type !== "feedback" &&
        input.required &&
        !input.multiple,
    );
  const isMissing =
    (granularity === "per_source_document_by_lineage" && !has("slot")) ||
    (granularity === "pairwise_by_origin" && !(has("slot") && has("lineage")));
  if (isMissing && inputs.every((input) => input !== undefined)) {
    const needs =
      granularity === "pairwise_by_origin"
        ? "a document of each proposal and a review of it"
        : "a document of each proposal";
    const message = `${granularity} needs ${needs} among its required inputs.`;
    draft.problems.add(own.file, ["steps", own.index, "granularity"], "no_source", message);
  }
  return partitionAt(draft, own, new Set([own.step.key]));
}
