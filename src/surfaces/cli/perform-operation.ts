/** Carries out an operation from the command line: ask if it destroys, show progress, show the result, follow. */

import type { ErrorKind } from "../../kernel/base/errors.ts";
import type { FollowHint, Operation } from "../../kernel/operation/operation.ts";
import type { CliWorld } from "./cli-world.ts";
import type { Command } from "./command.ts";
import { exitCodeOf, INTERRUPTED } from "./exit-code.ts";
import type { GlobalOptions } from "./global-options.ts";
import { humanValue } from "./human-value.ts";
import type { OperationClient } from "./operation-client.ts";
import { createProgressLine } from "./progress-line.ts";
import { SCHEMA_VERSION } from "./render-error.ts";
import { renderOutput } from "./render-output.ts";
import { safeJson, safeText } from "./safe-text.ts";
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
  if (action.effect === "destroys" && !(await isConfirmed(world, command, options))) return 1;
  const client = await world.connect(options.directory ?? world.directory);
  try {
    const output = await invokeWithProgress(world, client, action, options, input);
    showOutput(world, command, action, options, output);
    const outcome = command.hints.outcome?.(output) ?? "ok";
    if (follow === undefined || outcome !== "ok") return exitCodeOf(outcome);
    return await followStream(world, client, { follow, options, output });
  } finally {
    await client.close();
  }
}

async function invokeWithProgress(
  { signal, stderr, environment, now, nextKey }: CliWorld,
  client: OperationClient,
  { name, effect }: OperationAction,
  { isJson, isQuiet, color }: GlobalOptions,
  input: unknown,
): Promise<unknown> {
  const idempotencyKey = effect === "reads" ? undefined : nextKey();
  if (isJson || isQuiet) return client.invoke(name, input, { signal, idempotencyKey });
  const line = createProgressLine(stderr, now, createStyle(stderr, environment, color));
  try {
    return await client.invoke(name, input, { signal, idempotencyKey, report: line.report });
  } finally {
    line.clear();
  }
}

function showOutput(
  { stdout, stderr, environment }: CliWorld,
  { hints }: Command,
  { name }: OperationAction,
  { isJson, isQuiet, color, wantsFollow }: GlobalOptions,
  output: unknown,
): void {
  if (isJson) {
    const envelope = { schemaVersion: SCHEMA_VERSION, kind: name, data: output ?? null };
    // When following, each line is one value.
    stdout.write(`${safeJson(envelope, stdout.isTTY && !wantsFollow ? 2 : undefined)}\n`);
    return;
  }
  const columns = stdout.isTTY ? stdout.columns : Infinity;
  const { data, remark } =
    hints.render === undefined
      ? renderOutput(output, { columns, style: createStyle(stdout, environment, color) })
      : { data: safeText(hints.render(output)), remark: undefined };
  if (data !== "") stdout.write(`${data}\n`);
  if (remark !== undefined && !isQuiet) stderr.write(`${remark}\n`);
}

function followOf({ hints }: Command, { wantsFollow }: GlobalOptions): FollowHint | undefined {
  if (wantsFollow && hints.follow === undefined)
    throw usageError("flag_unknown", "There is nothing to follow here.", "Leave --follow out.");
  return wantsFollow ? hints.follow : undefined;
}

async function followStream(
  world: CliWorld,
  client: OperationClient,
  { follow, options, output }: { follow: FollowHint; options: GlobalOptions; output: unknown },
): Promise<number> {
  const { stdout, signal } = world;
  const stream = (output as Readonly<Record<string, unknown>>)[follow.stream];
  const write = (kind: string, data: unknown) =>
    stdout.write(`${safeJson({ schemaVersion: SCHEMA_VERSION, kind, data })}\n`);
  // From the beginning of its stream: what happened before we looked is part of the story.
  for await (const event of client.events({ after: "0.0", streams: [String(stream)] }, signal)) {
    const outcome: ErrorKind | "ok" | undefined = follow.until[event.type];
    if (options.isJson) write("event", event);
    else stdout.write(`${eventLine(event.at, event.type, event.data)}\n`);
    if (outcome === undefined) continue;
    if (options.isJson) write("result", { outcome, type: event.type });
    return exitCodeOf(outcome);
  }
  return INTERRUPTED;
}

function eventLine(at: number, type: string, data: unknown): string {
  const facts =
    typeof data === "object" && data !== null && !Array.isArray(data) ? Object.entries(data) : [];
  const shown = facts.map(([name, value]) => `${safeText(name)}=${humanValue(name, value)}`);
  return [humanValue("at", at), safeText(type), ...shown].join("  ");
}

async function isConfirmed(
  { stdin, stderr }: CliWorld,
  { words, summary }: Command,
  { isSure, isBatch }: GlobalOptions,
): Promise<boolean> {
  if (isSure) return true;
  if (!stdin.isTTY || isBatch)
    throw usageError(
      "confirmation_required",
      `\`${words.join(" ")}\` cannot be undone.`,
      "Add --yes if you mean it.",
    );
  const answer = await stdin.ask(`${summary} This cannot be undone. Go on? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  stderr.write("Nothing was changed.\n");
  return false;
}
