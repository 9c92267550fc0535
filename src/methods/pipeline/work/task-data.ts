/**
 * The data of a task as its prompt's context shows it: what it starts from, the item it is about, the
 * results it joins. What the step's own prompt already shows as a block is not shown twice, and an
 * item's first task gets the item instead of the list it came from.
 */

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/base/json.ts";
import { type JsonPath, printPath } from "../../../kernel/base/json-path.ts";
import type { SourceRef } from "../../../kernel/prompt/part.ts";
import { truncateText } from "../../../kernel/prompt/truncate-text.ts";
import type { ForeachStep, JoinStep, TaskStep } from "../workflow/workflow-definition.ts";
import { harmless, labelledPieces, type PromptPiece, valueAt } from "./prompt-values.ts";
import { type DraftPart, largestShare } from "./share-room.ts";

export type WorkStep = TaskStep | ForeachStep | JoinStep;

export interface TaskData {
  readonly taskId: string;
  readonly step: WorkStep | undefined;
  readonly scope: JsonObject;
  /** Where the foreaches around it have their items: each task is about one of them, not about all. */
  readonly lists?: readonly JsonPath[];
  /** Paths whose values the step's own prompt shows as blocks. */
  readonly blocks: ReadonlySet<string>;
}

const RESULTS = "aggregatedResults";

export function dataParts(data: TaskData): DraftPart[] {
  const ref: SourceRef = { type: "task", id: data.taskId, field: "input" };
  const shown = [
    { id: "item", pieces: itemPieces(data, ref) },
    { id: "results", pieces: resultPieces(data, ref) },
    { id: "input", pieces: inputPieces(data, ref) },
  ];
  return shown.flatMap(({ id, pieces }, index) =>
    pieces.length === 0
      ? []
      : [{ id, layer: "context", order: index + 1, importance: "required", text: pieces }],
  );
}

function itemPieces({ scope, step, blocks }: TaskData, ref: SourceRef): readonly PromptPiece[] {
  const item = valueAt(scope, "item");
  const names = ["item", ...(step?.stepType === "foreach" ? [step.itemVariable] : [])];
  if (item === undefined || names.some((name) => blocks.has(name))) return [];
  const index = valueAt(scope, "index");
  const total = valueAt(scope, "total");
  const place = typeof index === "number" ? ` ${index + 1}` : "";
  const of = typeof total === "number" ? ` of ${total}` : "";
  return labelledPieces(`Item${place}${of}`, item, "item", ref);
}

function resultPieces({ scope, step, blocks }: TaskData, ref: SourceRef): readonly PromptPiece[] {
  const results = step?.stepType === "join" ? valueAt(scope, `output.${RESULTS}`) : undefined;
  const names = ["output", "input", `output.${RESULTS}`, `input.${RESULTS}`, RESULTS];
  if (!Array.isArray(results) || names.some((name) => blocks.has(name))) return [];
  const count = results.length;
  if (count === 0) return [{ text: "**Aggregated Results:** none; there were no items." }];
  const lines = results.map((result: Json, at) => `${at + 1}. ${harmless(JSON.stringify(result))}`);
  return [
    { text: `**Aggregated Results:** ${count}, one a line, in item order\n` },
    {
      text: lines.join("\n"),
      untrusted: `output.${RESULTS}`,
      ref,
      shorten: (characters) => shortenLines(lines, characters),
    },
  ];
}

const LEAST_LINE = 80;

/** Long lines are cut evenly; only when there are too many even so, the last are counted instead of shown. */
function shortenLines(lines: readonly string[], characters: number): string {
  const most = Math.max(1, Math.floor((characters - LEAST_LINE) / (LEAST_LINE + 1)));
  const kept = lines.slice(0, most);
  const share = largestShare(
    kept.map((line) => line.length + 1),
    characters - LEAST_LINE,
  );
  const more = lines.length - kept.length;
  return [
    ...kept.map((line) => truncateText(line, Math.max(LEAST_LINE, share - 1))),
    ...(more === 0 ? [] : [`… and ${more} more that are not shown`]),
  ].join("\n");
}

function inputPieces(data: TaskData, ref: SourceRef): readonly PromptPiece[] {
  const input = shownInput(data);
  return input === undefined ? [] : labelledPieces("Input", input, "input", ref);
}

function shownInput({ scope, step, blocks, lists = [] }: TaskData): Json | undefined {
  const input = valueAt(scope, "input");
  if (input === undefined || input === null || blocks.has("input")) return undefined;
  if (!isJsonObject(input)) return input;
  const output = valueAt(scope, "output");
  const own = isJsonObject(output) ? output : {};
  const rest = Object.entries(input).filter(([key]) => {
    const isFromOutput = Object.hasOwn(own, key);
    if (isFromOutput && blocks.has("output")) return false;
    if (isFromOutput && step?.stepType === "join" && key === RESULTS) return false;
    if (isListOf(step, key) || (!isFromOutput && lists.some((list) => isGiven(list, key))))
      return false;
    const places = isFromOutput ? [["output"]] : [["run", "input"]];
    return ![["input"], ...places].some((place) => blocks.has(printPath([...place, key])));
  });
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** The member that holds a foreach's items. */
function isListOf(step: WorkStep | undefined, key: string): boolean {
  if (step?.stepType !== "foreach") return false;
  const [root, member] = step.items;
  return (root === "output" && member === key) || isGiven(step.items, key);
}

/** Whether the path leads to this member of what the run was started with. */
function isGiven([root, member, next]: JsonPath, key: string): boolean {
  return root === "run" ? member === "input" && next === key : root === "input" && member === key;
}
