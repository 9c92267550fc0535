/**
 * Recipes as files → recipes as the engine uses them. Order and barriers follow from the inputs; whatever
 * does not add up is told with its place, and nothing that has a problem can be started.
 */

import { describeError, ProductError } from "../../../kernel/base/errors.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { checkFilledIn, checkNames, checkPrompt, fileNameOf } from "./check-texts.ts";
import { checkRules, compileInput, partitionOf } from "./compile-input.ts";
import type { CompiledDomain, CompiledStage, CompiledStep } from "./compiled-domain.ts";
import { type DomainContent, readDomain } from "./read-domain.ts";
import type { Draft, DraftStep } from "./recipe-draft.ts";
import { granularityOf, isProduced } from "./recipe-draft.ts";
import { GRANULARITIES } from "./recipe-file.ts";
import { createProblemList, type ProblemList, type RecipeProblem } from "./recipe-problem.ts";
import { type DocumentShape, resolveDocument, SYSTEM_MATERIALS } from "./resolve-document.ts";

export interface Compilation {
  /** Absent when there are problems. */
  readonly domain?: CompiledDomain;
  readonly problems: readonly RecipeProblem[];
}

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

function readContent(
  library: Library,
  key: string,
  problems: ProblemList,
): DomainContent | undefined {
  try {
    return readDomain(library, key);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    if (error.code === "domain_unknown") throw error;
    problems.addAll(problemsOfFile(error));
    return undefined;
  }
}

function problemsOfFile(error: ProductError): readonly RecipeProblem[] {
  const path = typeof error.details["path"] === "string" ? error.details["path"] : "";
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
  } else if (isHeader) checkHeader(draft, own, shape, siblings);
  else if (Object.keys(shape.readBy).length > 0) {
    const message = `"${schema}" is no header: all of it is read by whoever reads it.`;
    problems.add(file, place(step.schema ? "schema" : "documentKey"), "header_shape", message);
  }
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
  draft: Draft,
  own: DraftStep,
  shape: DocumentShape,
  siblings: readonly DraftStep[],
): void {
  const { problems } = draft;
  const { file, step, index } = own;
  const place = ["steps", index, step.schema === undefined ? "documentKey" : "schema"];
  const materials = shape.fields.find(({ key }) => key === SYSTEM_MATERIALS);
  if (materials?.kind !== "object") {
    const message = `The header "${shape.key}" has no object "${SYSTEM_MATERIALS}".`;
    problems.add(file, place, "header_shape", message);
  }
  for (const key of ADDED_BY_ENGINE) {
    if (!shape.fields.some((field) => field.key === key)) continue;
    problems.add(file, place, "header_shape", `"${key}" is added by the engine.`);
  }
  const planned = plannedBy(draft, own, siblings).map(({ key }) => key);
  for (const [key, readers] of Object.entries(shape.readBy)) {
    for (const reader of readers.filter((each) => !planned.includes(each))) {
      const message = `"${key}" of "${shape.key}" is for "${reader}", which is not written from it.`;
      problems.add(file, place, "header_shape", message, `It plans ${planned.join(", ")}.`);
    }
  }
}
