/** Whether everything that has to be written is: texts, names, prompts. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { LibraryFile } from "../../../kernel/library/library.ts";
import { parsePrompt } from "../../../kernel/library/parse-prompt.ts";
import { type DomainContent, promptPath } from "./read-domain.ts";
import type { Draft, DraftStep } from "./recipe-draft.ts";
import { type ProblemList } from "./recipe-problem.ts";

/** What prompts of a domain may ask for by name. */
const PROMPT_VARIABLES = [
  "stage_title",
  "step_name",
  "document_title",
  "iteration",
  "slot_count",
  "proposal_count",
  "proposal",
  "reviewer",
];

const TO_BE_DETERMINED = /<TBD\b/i;

export function checkFilledIn(content: DomainContent, problems: ProblemList): void {
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

/** Names end up in paths; what a path says otherwise cannot be one. */
const RESERVED =
  /(?:^|_)(?:continuation|version)_\d+(?:_|$)|(?:^|_)manifest$|^(?:project|seed_prompt)$/;

export function checkNames({ content, steps, problems }: Draft): void {
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

export function fileNameOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replaceAll(/^[-_]+|[-_]+$/g, "")
    .slice(0, 80);
}

export function checkPrompt(
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
