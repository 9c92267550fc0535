/**
 * The prompt of one automated task, in layers: the contract that every task shares, the agent, the
 * workflow's step, what is asked of this task, and what is known about it. The first two change least
 * and go first, so providers can cache them.
 */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { JsonPath } from "../../../kernel/base/json-path.ts";
import type { MissingPlace } from "../../../kernel/base/template.ts";
import { shapeOfSchema } from "../../../kernel/contract/shape.ts";
import { formOfShape } from "../../../kernel/contract/skeleton.ts";
import type { Library } from "../../../kernel/library/library.ts";
import { parsePrompt } from "../../../kernel/library/parse-prompt.ts";
import { compilePrompt } from "../../../kernel/prompt/compile-prompt.ts";
import { FENCE_NOTICE } from "../../../kernel/prompt/fence-untrusted.ts";
import type { Layout } from "../../../kernel/prompt/part.ts";
import type { Redactor } from "../../../kernel/prompt/redactor.ts";
import type { TurnPrompt } from "../../../kernel/run/handler.ts";
import { turnPromptOf } from "../../../kernel/run/turn-prompt.ts";
import type { Task } from "../../../kernel/store/task.ts";
import { outputType } from "./output-schema.ts";
import {
  type FilledTemplate,
  fillTemplate,
  labelledPieces,
  type PromptPiece,
  valuePieces,
} from "./prompt-values.ts";
import { type Question, sayShort } from "./question.ts";
import { type DraftPart, shareRoom } from "./share-room.ts";
import { dataParts, type WorkStep } from "./task-data.ts";

export interface TaskPromptInputs {
  readonly library: Library;
  readonly task: PromptTask;
  /** Absent for tasks outside of workflows. */
  readonly step?: WorkStep | undefined;
  readonly agent?: PromptAgent | undefined;
  /** What templates may name: `run`, `input`, `output`, `steps`, and of an item what it brings. */
  readonly scope: JsonObject;
  /** Where the foreaches around it have their items. */
  readonly lists?: readonly JsonPath[];
  readonly guidance?: Guidance;
  readonly budgetCharacters?: number;
  /** What must not be seen. Credentials by their shape unless given. */
  readonly redactor?: Redactor;
}

export type PromptTask = Pick<
  Task,
  "id" | "title" | "summary" | "description" | "extraPrompt" | "additionalInfo" | "tags"
>;

export interface PromptAgent {
  readonly id: string;
  readonly agentPrompt: string | undefined;
}

/** What came up since the task was made. */
export interface Guidance {
  /** The work left by the task before, as its agent described it. */
  readonly followUp?: string;
  /** Why the attempt before failed, in its agent's words. */
  readonly earlierFailure?: string;
  readonly answers?: readonly AnsweredQuestion[];
}

export interface AnsweredQuestion {
  readonly question: Question;
  readonly answer: Json;
}

export interface TaskPrompt {
  readonly turnPrompt: TurnPrompt;
  /** Places of the step's prompt that nothing fills; they stay visible in it. */
  readonly unknownPaths: readonly MissingPlace[];
}

export const TASK_BUDGET_CHARACTERS = 200_000;

export function compileTaskPrompt(inputs: TaskPromptInputs): TaskPrompt {
  const { budgetCharacters = TASK_BUDGET_CHARACTERS, redactor, step } = inputs;
  const filled = fillStep(inputs);
  const parts = shareRoom(
    [
      ...baseParts(inputs),
      ...stepParts(inputs, filled),
      ...guidanceParts(inputs),
      ...contextParts(inputs, filled),
    ],
    budgetCharacters,
  );
  const compiled = compilePrompt(layoutFor(step), parts, {
    budget: { characters: budgetCharacters },
    ...(redactor === undefined ? {} : { redactor }),
  });
  return { turnPrompt: turnPromptOf(compiled), unknownPaths: filled?.unknownPaths ?? [] };
}

function layoutFor(step: WorkStep | undefined): Layout {
  const name = step?.name.replaceAll(/\s+/g, " ").trim() ?? "";
  const asked = { role: "user", stability: "turn", separator: "\n\n" } as const;
  return {
    separator: "\n\n---\n\n",
    layers: [
      { id: "base", role: "system", stability: "fixed", separator: "\n\n" },
      { id: "agent", role: "system", stability: "project", heading: "## Agent Context" },
      { id: "step", ...asked, heading: `## Workflow Step: ${name}` },
      { id: "instructions", ...asked, heading: "## Task Instructions" },
      { id: "context", ...asked, heading: "## Task Context" },
    ],
  };
}

function required(
  layer: string,
  id: string,
  order: number,
  text: readonly PromptPiece[],
): DraftPart {
  return { id, layer, order, importance: "required", text };
}

function baseParts({ library, agent }: TaskPromptInputs): DraftPart[] {
  const prompt = agent?.agentPrompt?.trim() ?? "";
  const ref = { type: "user", id: agent?.id ?? "", field: "agentPrompt" };
  return [
    required("base", "contract", 0, sayings(library, "task-contract")),
    required("base", "fences", 1, [{ text: FENCE_NOTICE }]),
    ...(prompt === "" ? [] : [required("agent", "agent", 0, [{ text: prompt, ref }])]),
  ];
}

function fillStep({ step, scope }: TaskPromptInputs): FilledTemplate | undefined {
  const prompt = step?.prompt?.trim() ?? "";
  if (step === undefined || prompt === "") return undefined;
  return fillTemplate(prompt, scope, { type: "step", id: step.id, field: "prompt" });
}

function stepParts(
  { library, step }: TaskPromptInputs,
  filled: FilledTemplate | undefined,
): DraftPart[] {
  if (step === undefined) return [];
  const description = step.description?.trim() ?? "";
  const said =
    filled?.pieces ??
    (description === ""
      ? sayings(library, "bare-step")
      : [{ text: description, ref: { type: "step", id: step.id, field: "description" } }]);
  const asked = required("step", "step", 0, said);
  if (step.outputSchema === undefined) return [asked];
  const form = formOfShape(shapeOfSchema(outputType(step.outputSchema)));
  return [
    asked,
    required("step", "form", 1, sayings(library, "output-form", { form: [{ text: form }] })),
  ];
}

function guidanceParts({ library, task, guidance = {} }: TaskPromptInputs): DraftPart[] {
  const { followUp, earlierFailure, answers = [] } = guidance;
  const extra = task.extraPrompt?.trim() ?? "";
  const ref = (field: string) => ({ type: "task", id: task.id, field });
  const told = (id: string, from: string, text: string) => valuePieces(text, from, ref(id));
  const said: readonly (readonly [string, readonly PromptPiece[]])[] = [
    ["extraPrompt", extra === "" ? [] : [{ text: extra, ref: ref("extraPrompt") }]],
    [
      "followUp",
      followUp === undefined
        ? []
        : sayings(library, "follow-up", {
            description: told("followUp", "the task before", followUp),
          }),
    ],
    [
      "earlierFailure",
      earlierFailure === undefined
        ? []
        : sayings(library, "earlier-failure", {
            reason: told("earlierFailure", "the attempt before", earlierFailure),
          }),
    ],
    [
      "answers",
      answers.length === 0
        ? []
        : sayings(library, "answered-questions", { answers: answers.flatMap(answerPieces) }),
    ],
  ];
  return said
    .filter(([, pieces]) => pieces.length > 0)
    .map(([id, pieces], order) => required("instructions", id, order, pieces));
}

/** The question is a model's; the answer is an instruction of whoever gave it. */
function answerPieces({ question, answer }: AnsweredQuestion, index: number): PromptPiece[] {
  const asked = valuePieces(question.question, "your question", {
    type: "question",
    id: question.id,
  });
  const isBlock = asked.some(({ untrusted }) => untrusted !== undefined);
  return [
    { text: `${index === 0 ? "" : "\n"}${index + 1}.${isBlock ? "\n" : " "}` },
    ...asked,
    { text: `\n   Answer: ${sayShort(question, answer)}` },
  ];
}

function contextParts(
  { task, step, scope, lists = [] }: TaskPromptInputs,
  filled: FilledTemplate | undefined,
): DraftPart[] {
  const field = (label: string, name: keyof PromptTask, value: Json) =>
    labelledPieces(label, value, name, { type: "task", id: task.id, field: name });
  const lines = [
    field("Title", "title", task.title),
    field("Summary", "summary", task.summary ?? "N/A"),
    ...(task.description === undefined
      ? []
      : [field("Description", "description", task.description)]),
    field("Tags", "tags", task.tags.join(", ") || "None"),
    field("Additional Info", "additionalInfo", task.additionalInfo ?? "None"),
  ];
  const facts = lines.flatMap((line, index) => (index === 0 ? line : [{ text: "\n" }, ...line]));
  const blocks = filled?.blocks ?? new Set<string>();
  return [
    required("context", "facts", 0, facts),
    ...dataParts({ taskId: task.id, step, scope, lists, blocks }),
  ];
}

/** A text of the library with pieces in its places. */
function sayings(
  library: Library,
  name: string,
  values: Readonly<Record<string, readonly PromptPiece[]>> = {},
): readonly PromptPiece[] {
  const { file, template } = parsePrompt(library.read(`pipeline/prompts/${name}.md`));
  const ref = { type: "prompt", id: file.path, version: file.hash };
  const last = template.parts.length - 1;
  return template.parts.flatMap((part, index): readonly PromptPiece[] => {
    if (part.kind === "place") return values[String(part.path[0])] ?? [];
    const written = part.kind === "text" ? part.text : part.source;
    const begun = index === 0 ? written.trimStart() : written;
    const text = index === last ? begun.trimEnd() : begun;
    return text === "" ? [] : [{ text, ref }];
  });
}
