/**
 * Recipes as files → recipes as the engine uses them. Order and barriers follow from the inputs; whatever
 * does not add up is told with its place, and nothing that has a problem can be started.
 */

import { describeError, ProductError } from "../../../kernel/base/errors.ts";
import { nearMatches } from "../../../kernel/contract/near-match.ts";
import type { Library, LibraryFile } from "../../../kernel/library/library.ts";
import { parsePrompt } from "../../../kernel/library/parse-prompt.ts";
import type {
  CompiledDomain,
  CompiledInput,
  CompiledStage,
  CompiledStep,
  Partition,
  Producer,
} from "./compiled-domain.ts";
import { type DomainContent, promptPath, readDomain } from "./read-domain.ts";
import {
  GRANULARITIES,
  type Granularity,
  type InputRule,
  type InputType,
  type RecipeStep,
  type RelevanceRule,
} from "./recipe-file.ts";
import { createProblemList, type ProblemList, type RecipeProblem } from "./recipe-problem.ts";
import { type DocumentShape, resolveDocument } from "./resolve-document.ts";

export interface Compilation {
  /** Absent when there are problems. */
  readonly domain?: CompiledDomain;
  readonly problems: readonly RecipeProblem[];
}

/** What prompts of a domain may ask for by name. */
export const PROMPT_VARIABLES = [
  "stage_title",
  "step_name",
  "document_title",
  "iteration",
  "slot_count",
  "proposal_count",
  "proposal",
  "reviewer",
];

export function compileDomain(library: Library, key: string): Compilation {
  const problems = createProblemList();
  const content = readContent(library, key, problems);
  if (content === undefined) return { problems: problems.list() };
  checkFilledIn(content, problems);
  const draft: Draft = {
    content,
    library,
    problems,
    shapes: shapesOf(content, problems),
    steps: draftSteps(content),
  };
  checkNames(draft);
  const stages = content.recipes.map((_, index) => compileStage(draft, index));
  const found = problems.list();
  if (found.length > 0) return { problems: found };
  const { domain, systemOverlays } = content;
  return {
    problems: [],
    domain: {
      key: domain.key,
      title: domain.title,
      description: domain.description,
      stages,
      overlays: { ...systemOverlays, ...domain.overlays },
    },
  };
}

interface Draft {
  readonly content: DomainContent;
  readonly library: Library;
  readonly problems: ProblemList;
  readonly shapes: ReadonlyMap<string, DocumentShape>;
  readonly steps: readonly DraftStep[];
}

interface DraftStep {
  readonly step: RecipeStep;
  readonly stage: string;
  readonly stageIndex: number;
  readonly index: number;
  readonly file: LibraryFile;
}

function readContent(
  library: Library,
  key: string,
  problems: ProblemList,
): DomainContent | undefined {
  try {
    return readDomain(library, key);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    if (error.code === "library_file_not_found" && error.message.includes("/domains/")) throw error;
    problems.addAll(problemsOfFile(error));
    return undefined;
  }
}

function problemsOfFile(error: ProductError): readonly RecipeProblem[] {
  const path = String(error.details["path"] ?? "");
  const listed = error.details["problems"];
  if (!Array.isArray(listed)) {
    const code = error.code === "library_file_not_found" ? "file_missing" : "file_invalid";
    return [{ code, path, line: 1, column: 1, message: describeError(error).message }];
  }
  return (listed as readonly { line: number; message: string }[]).map(({ line, message }) => ({
    code: "file_invalid",
    path,
    line,
    column: 1,
    message,
  }));
}

const TO_BE_DETERMINED = /<TBD\b/i;

function checkFilledIn(content: DomainContent, problems: ProblemList): void {
  lookThrough(content.domain, content.file, []);
  for (const { value, file } of content.recipes) lookThrough(value, file, []);
  for (const { value, file } of content.documents.values()) lookThrough(value, file, []);

  function lookThrough(
    value: unknown,
    file: LibraryFile,
    place: readonly (string | number)[],
  ): void {
    if (typeof value === "string" && TO_BE_DETERMINED.test(value)) {
      const message = `"${place.join(".")}" is still to be determined.`;
      problems.add(file, place, "not_filled_in", message);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) lookThrough(item, file, [...place, index]);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) lookThrough(inner, file, [...place, key]);
    }
  }
}

function shapesOf(
  content: DomainContent,
  problems: ProblemList,
): ReadonlyMap<string, DocumentShape> {
  return new Map(
    [...content.documents.keys()].flatMap((key): [string, DocumentShape][] => {
      const shape = resolveDocument(content.documents, key, problems);
      return shape === undefined ? [] : [[key, shape]];
    }),
  );
}

function draftSteps({ recipes }: DomainContent): readonly DraftStep[] {
  return recipes.flatMap(({ value, file }, stageIndex) =>
    value.steps.map((step, index) => ({ step, stage: value.stage, stageIndex, index, file })),
  );
}

/** Names end up in paths; what a path says otherwise cannot be one. */
const RESERVED =
  /(?:^|_)(?:continuation|version)_\d+(?:_|$)|(?:^|_)manifest$|^(?:project|seed_prompt)$/;

function checkNames({ content, steps, problems }: Draft): void {
  const { domain, recipes } = content;
  for (const [index, { value, file }] of recipes.entries()) {
    if (value.stage === domain.stages[index]) continue;
    const message = `The recipe is for "${value.stage}", its file is "${domain.stages[index]}".`;
    problems.add(file, ["stage"], "name_mismatch", message);
  }
  const seen = new Map<string, DraftStep>();
  const claim = (draft: DraftStep, field: string, name: string, what: string) => {
    const place = ["steps", draft.index, field];
    const before = seen.get(`${draft.stage}/${name}`);
    if (before !== undefined && before !== draft) {
      const message = `${what} "${name}" is taken by the step "${before.step.key}".`;
      problems.add(draft.file, place, "duplicate_key", message);
    }
    seen.set(`${draft.stage}/${name}`, draft);
    if (RESERVED.test(name.replaceAll("-", "_"))) {
      problems.add(draft.file, place, "reserved_name", `Nothing can be called "${name}".`);
    }
  };
  for (const draft of steps) {
    const { step } = draft;
    claim(draft, "key", `key:${step.key}`, "The key");
    claim(draft, "name", fileNameOf(step.name), "The name");
    claim(draft, "documentKey", `output:${step.documentKey}`, "The document key");
    // Prompts of planners are named by their step, those of turns by their document.
    if (step.promptType === "Turn") claim(draft, "documentKey", step.documentKey, "The name");
  }
}

function fileNameOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replaceAll(/^[-_]+|[-_]+$/g, "")
    .slice(0, 80);
}

function compileStage(draft: Draft, stageIndex: number): CompiledStage {
  const { content, steps, problems } = draft;
  const recipe = content.recipes[stageIndex];
  if (recipe === undefined) throw new Error(`There is no stage ${stageIndex}.`);
  const { value, file } = recipe;
  checkPrompt(draft, file, ["seedTemplate"], value.seedTemplate);
  const own = steps.filter((step) => step.stageIndex === stageIndex);
  const ordered = inOrder(own, problems);
  const compiled = ordered.map((step) => compileStep(draft, step, own));
  return {
    key: value.stage,
    title: value.title,
    name: value.name,
    description: value.description,
    seedTemplate: value.seedTemplate,
    path: file.path,
    steps: compiled.filter((step) => step !== undefined),
  };
}

/** After what they need; where nothing decides, as in the file. */
function inOrder(own: readonly DraftStep[], problems: ProblemList): readonly DraftStep[] {
  const ordered: DraftStep[] = [];
  const left = new Set(own);
  while (left.size > 0) {
    const ready = [...left].find((each) => needsOf(each, own).every((need) => !left.has(need)));
    if (ready === undefined) {
      const circle = circleIn([...left], own);
      const [first] = circle;
      if (first) {
        const names = [...circle, first].map(({ step }) => step.key).join(" → ");
        const message = `The steps wait for one another: ${names}.`;
        const hint = 'An input that means the last version needs `"from": "previous"`.';
        const place = ["steps", first.index, "inputsRequired"];
        problems.add(first.file, place, "cycle", message, hint);
      }
      return own;
    }
    left.delete(ready);
    ordered.push(ready);
  }
  return ordered;
}

function needsOf({ step, stage }: DraftStep, own: readonly DraftStep[]): readonly DraftStep[] {
  return step.inputsRequired.flatMap((input) => {
    const makesOrder = input.from === "current" && input.stage === stage && isProduced(input.type);
    if (!makesOrder) return [];
    return own.filter((other) => other.step.documentKey === input.documentKey);
  });
}

function circleIn(left: readonly DraftStep[], own: readonly DraftStep[]): readonly DraftStep[] {
  const [start] = left;
  if (start === undefined) return [];
  const way = [start];
  for (let at = start; ; ) {
    const next = needsOf(at, own).find((need) => left.includes(need));
    if (next === undefined) return way;
    const place = way.indexOf(next);
    if (place !== -1) return way.slice(place).toReversed();
    way.push(next);
    at = next;
  }
}

function compileStep(
  draft: Draft,
  own: DraftStep,
  siblings: readonly DraftStep[],
): CompiledStep | undefined {
  const { problems, shapes } = draft;
  const { step, stage, index, file } = own;
  const place = (...rest: readonly (string | number)[]) => ["steps", index, ...rest];
  const granularity = granularityOf(step.granularity);
  if (granularity === undefined) {
    const message = `"${step.granularity}" is no granularity.`;
    const hint = `Granularities are ${GRANULARITIES.join(", ")}; one_to_one is per_source_document.`;
    problems.add(file, place("granularity"), "unknown_granularity", message, hint);
  }
  checkPrompt(draft, file, place("promptTemplate"), step.promptTemplate);
  const isHeader = step.outputType === "HeaderContext";
  if (isHeader !== (step.promptType === "Planner")) {
    const message = "A Planner writes a HeaderContext, and a Turn writes a document.";
    problems.add(file, place("outputType"), "wrong_type", message);
  }
  const schema = step.schema ?? step.documentKey;
  const shape = shapes.get(schema);
  if (shape === undefined) {
    const message = `There is no file for the document "${schema}".`;
    problems.add(file, place(step.schema ? "schema" : "documentKey"), "file_missing", message);
  } else if (isHeader) checkHeader(own, shape, problems);
  const inputs = step.inputsRequired.map((input, at) => compileInput(draft, own, input, at));
  checkRules(own, problems);
  const partition = granularity && partitionOf(draft, own, granularity, inputs);
  const isComplete =
    granularity && shape && partition && inputs.every((each) => each !== undefined);
  if (!isComplete) return undefined;
  return {
    stage,
    key: step.key,
    name: step.name,
    objective: step.objective,
    promptType: step.promptType,
    promptTemplate: step.promptTemplate,
    outputType: step.outputType,
    outputDescription: step.outputDescription,
    documentKey: step.documentKey,
    number: index + 1,
    granularity,
    partition,
    inputs: inputs.filter((each) => each !== undefined),
    shape,
    plans: isHeader ? plannedBy(draft, own, siblings) : [],
    isFirstHeader:
      isHeader && siblings.find((each) => each.step.outputType === "HeaderContext") === own,
    fileName: fileNameOf(step.name),
  };
}

function granularityOf(given: string): Granularity | undefined {
  if (given === "one_to_one") return "per_source_document";
  return GRANULARITIES.find((known) => known === given);
}

function plannedBy(
  { shapes }: Draft,
  header: DraftStep,
  siblings: readonly DraftStep[],
): readonly DocumentShape[] {
  return siblings
    .filter(({ step }) =>
      step.inputsRequired.some(
        (input) =>
          input.type === "header_context" &&
          input.stage === header.stage &&
          input.documentKey === header.step.documentKey,
      ),
    )
    .flatMap(({ step }) => shapes.get(step.schema ?? step.documentKey) ?? []);
}

const ADDED_BY_ENGINE = ["context_for_documents", "files_to_generate"];

function checkHeader(
  { file, step, index }: DraftStep,
  shape: DocumentShape,
  problems: ProblemList,
) {
  const place = ["steps", index, "schema"];
  const materials = shape.fields.find(({ key }) => key === "system_materials");
  if (materials?.kind !== "object") {
    const message = `The header "${step.schema ?? step.documentKey}" has no object "system_materials".`;
    problems.add(file, place, "header_shape", message);
  }
  for (const key of ADDED_BY_ENGINE) {
    if (!shape.fields.some((field) => field.key === key)) continue;
    problems.add(file, place, "header_shape", `"${key}" is added by the engine.`);
  }
}

function isProduced(type: InputType): boolean {
  return type === "document" || type === "contribution" || type === "header_context";
}

const OUTPUT_FOR: Readonly<Partial<Record<InputType, RecipeStep["outputType"]>>> = {
  document: "RenderedDocument",
  contribution: "AssembledDocumentJson",
  header_context: "HeaderContext",
};

function compileInput(
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

function checkRules({ step, index, file }: DraftStep, problems: ProblemList): void {
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
export function sourceOf<Input extends InputRule>(step: {
  readonly inputsRequired: readonly Input[];
}): Input | undefined {
  const single = step.inputsRequired.filter(({ required, multiple }) => required && !multiple);
  return single.find(({ type }) => type === "header_context") ?? single[0];
}

function partitionOf(
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

function checkPrompt(
  { content, library, problems }: Draft,
  file: LibraryFile,
  place: readonly (string | number)[],
  name: string,
): void {
  const path = promptPath(content.domain.key, name);
  try {
    const prompt = parsePrompt(library.read(path));
    for (const variable of prompt.variables) {
      if (PROMPT_VARIABLES.includes(variable.name)) continue;
      const message = `The prompt "${name}" asks for "${variable.name}", which nothing gives it.`;
      const hint = `Variables are ${PROMPT_VARIABLES.join(", ")}.`;
      problems.add(file, place, "unknown_variable", message, hint);
    }
    if (TO_BE_DETERMINED.test(prompt.body)) {
      problems.add(file, place, "not_filled_in", `The prompt "${name}" is still to be determined.`);
    }
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    const isMissing = error.code === "library_file_not_found";
    const message = isMissing ? `There is no prompt ${path}.` : error.message;
    problems.add(file, place, isMissing ? "file_missing" : "file_invalid", message);
  }
}
