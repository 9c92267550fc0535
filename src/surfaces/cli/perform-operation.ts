/** Carries out an operation from the command line: ask if it destroys, show progress, show the result, follow. */

import { ProductError } from "../../kernel/base/errors.ts";
import type { FollowHint, Operation, ReviewHint } from "../../kernel/operation/operation.ts";
import type { OperationAnswer } from "../../kernel/operation/operation-answer.ts";
import type { CliWorld } from "./cli-world.ts";
import type { Command } from "./command.ts";
import { confirm } from "./confirm.ts";
import { exitCodeOf } from "./exit-code.ts";
import type { GlobalOptions } from "./global-options.ts";
import type { OperationClient } from "./operation-client.ts";
import { createProgressLine } from "./progress-line.ts";
import { SCHEMA_VERSION } from "./render-error.ts";
import { renderOutput, renderView, type Surface, surfaceOf } from "./render-output.ts";
import { safeJson } from "./safe-text.ts";
import { createStyle } from "./style.ts";
import { usageError } from "./usage-error.ts";

interface OperationAction {
  readonly name: string;
  readonly effect: Operation["effect"];
}

export async function performOperation(
  world: CliWorld,
  command: Command,
  action: OperationAction,
  options: GlobalOptions,
  input: unknown,
): Promise<number> {
  const follow = followOf(command, options);
  const isTried = (input as { readonly dryRun?: unknown }).dryRun === true;
  const warning = isTried ? undefined : warningOf(command, action, input);
  if (warning !== undefined && !(await confirm(world, options, warning))) return 1;
  const client = await world.connect(options.directory ?? world.directory);
  const surface = () => surfaceOf(world.stdout, world.environment, options.color);
  try {
    const invoke = (given: unknown) =>
      invokeWithProgress(world, client, command, action, options, given);
    const answer = await invoke(input).catch(async (error: unknown) => {
      const pasted = await pastedInput(world, command, options, input, error);
      if (pasted === undefined) throw error;
      return invoke(pasted);
    });
    showAnswer(world, action, options, { answer, surface: surface() });
    const { output, outcome } = answer;
    const review = reviewOf(world, command, options, input);
    if (review !== undefined) {
      const { reviewItems } = await import("./review-items.ts");
      return await reviewItems(world, client, review, { output, surface: surface() });
    }
    if (follow === undefined || outcome !== "ok") return exitCodeOf(outcome);
    if (follow.view !== undefined && world.stdout.isTTY && !options.isJson) {
      const { followLive } = await import("./live-view.ts");
      return await followLive(world, client, { follow, output, surface });
    }
    const { followStream } = await import("./follow-stream.ts");
    return await followStream(world, client, { follow, options, output });
  } finally {
    sayUnfinished(world, options, await client.close());
  }
}

/** Undefined where nothing was pasted, or nobody is there to be asked. */
async function pastedInput(
  { stdin, signal }: CliWorld,
  { hints: { paste = [], stdin: field } }: Command,
  { isJson, isQuiet, isBatch }: GlobalOptions,
  input: unknown,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof ProductError) || !paste.includes(error.code)) return undefined;
  const given = input as Readonly<Record<string, unknown>>;
  if (field === undefined || given[field] !== undefined) return undefined;
  if (!stdin.isTTY || isJson || isQuiet || isBatch) return undefined;
  const pasted = await stdin.readPaste(`Paste the ${field}, then press Ctrl+D:\n`, signal);
  return pasted.trim() === "" ? undefined : { ...given, [field]: pasted };
}

/** Only where a person looks at the result, and has not said that nothing is to be asked. */
function reviewOf(
  { stdout, openTerminal }: CliWorld,
  { hints: { review } }: Command,
  { isJson, isQuiet, isBatch }: GlobalOptions,
  input: unknown,
): ReviewHint | undefined {
  if (review === undefined || openTerminal === undefined) return undefined;
  if (!stdout.isTTY || isJson || isQuiet || isBatch) return undefined;
  const given = input as Readonly<Record<string, unknown>>;
  const isDecided = [review.unless ?? "", ...Object.keys(review.answers)].some(
    (field) => given[field],
  );
  return isDecided ? undefined : review;
}

async function invokeWithProgress(
  world: CliWorld,
  client: OperationClient,
  command: Command,
  { name, effect }: OperationAction,
  { isJson, isQuiet, color }: GlobalOptions,
  input: unknown,
): Promise<OperationAnswer> {
  const { signal, stderr, environment, now, nextKey } = world;
  const idempotencyKey = effect === "reads" ? undefined : nextKey();
  const line =
    isJson || isQuiet
      ? undefined
      : createProgressLine(stderr, now, createStyle(stderr, environment, color));
  const how = { signal, idempotencyKey, report: line?.report };
  try {
    if (command.hints.files === undefined) return await client.invoke(name, input, how);
    const { sendFiles } = await import("./send-files.ts");
    const sent = await sendFiles(world, client, command, input, line?.report);
    const answer = await client.invoke(name, sent.input, how);
    await sent.drop();
    return answer;
  } finally {
    line?.clear();
  }
}

function showAnswer(
  { stdout, stderr, program }: CliWorld,
  { name }: OperationAction,
  { isJson, isQuiet, wantsFollow }: GlobalOptions,
  {
    answer: { output, view, unserved },
    surface,
  }: { readonly answer: OperationAnswer; readonly surface: Surface },
): void {
  if (isJson) {
    const envelope = { schemaVersion: SCHEMA_VERSION, kind: name, data: output ?? null };
    // When following, each line is one value.
    stdout.write(`${safeJson(envelope, stdout.isTTY && !wantsFollow ? 2 : undefined)}\n`);
    return;
  }
  const { data, remark } =
    view === undefined
      ? renderOutput(output, surface)
      : { data: renderView(view, surface), remark: undefined };
  if (data !== "") stdout.write(`${data}\n`);
  if (isQuiet) return;
  if (remark !== undefined) stderr.write(`${remark}\n`);
  if (unserved !== undefined)
    stderr.write(`${unserved} No server runs here; start one: ${program.name} serve\n`);
}

/** A run that stands still must not look like one that is at work. */
function sayUnfinished(
  { stderr, program }: CliWorld,
  { isJson, isQuiet }: GlobalOptions,
  unfinished: number,
): void {
  if (unfinished === 0 || isJson || isQuiet) return;
  const which = unfinished === 1 ? "1 run is" : `${unfinished} runs are`;
  stderr.write(
    `${which} not done, and no server is here to go on with ${unfinished === 1 ? "it" : "them"}: start one (\`${program.name} serve\`), or follow a run (\`--follow\`).\n`,
  );
}

function followOf({ hints }: Command, { wantsFollow }: GlobalOptions): FollowHint | undefined {
  if (wantsFollow && hints.follow === undefined)
    throw usageError("flag_unknown", "There is nothing to follow here.", "Leave --follow out.");
  return wantsFollow ? hints.follow : undefined;
}

/** Undefined where all of it can be undone. */
function warningOf(
  { words, summary, hints: { destroysWith } }: Command,
  { effect }: OperationAction,
  input: unknown,
) {
  const typed = words.join(" ");
  if (effect === "destroys")
    return {
      question: `${summary} This cannot be undone.`,
      refusal: `\`${typed}\` cannot be undone.`,
    };
  const given = input as Readonly<Record<string, unknown>>;
  if (destroysWith === undefined || given[destroysWith] !== true) return undefined;
  const refusal = `\`${typed} --${destroysWith}\` cannot be undone.`;
  return { question: refusal, refusal };
}
