/**
 * One command line, from what was typed to an exit code. Data goes to stdout and everything else to stderr;
 * with `--json` stdout holds one envelope (or one per line when following) and errors are JSON on stderr.
 */

import type { CliWorld } from "./cli-world.ts";
import type { Command } from "./command.ts";
import { COMPLETE_WORD, completeWords, completionHelp, completionScript } from "./completion.ts";
import { exitCodeOfError, INTERRUPTED } from "./exit-code.ts";
import { type FoundCommand, findCommand } from "./find-command.ts";
import type { GlobalOptions } from "./global-options.ts";
import { parseArguments } from "./parse-arguments.ts";
import { performOperation } from "./perform-operation.ts";
import { renderErrorJson, renderErrorText } from "./render-error.ts";
import { renderCommandHelp, renderGroupHelp, renderRootHelp } from "./render-help.ts";
import { createStyle } from "./style.ts";

export async function runCli(argv: readonly string[], world: CliWorld): Promise<number> {
  let command: Command | undefined;
  try {
    const early = await answerEarly(argv, world);
    if (early !== undefined) return early;
    const isAskingForHelp = argv[0] === "help";
    const typed = isAskingForHelp ? argv.slice(1) : argv;
    const found = await findCommand(world.commands, world.program.name, typed);
    command = found.kind === "command" ? found.command : undefined;
    const { options, input } = await parseArguments(
      command,
      isAskingForHelp ? [...found.rest, "--help"] : found.rest,
      sourcesOf(world),
    );
    if (options.wantsHelp || found.kind !== "command") return showHelp(world, found, options);
    const { action } = found.command;
    if (action.kind === "own") return await action.run(world, options, input);
    return await performOperation(world, found.command, action, options, input);
  } catch (error) {
    if (world.signal.aborted) return INTERRUPTED;
    showError(world, argv, command, error);
    return exitCodeOfError(error);
  }
}

/** Words that need no command: they must answer quickly and whatever else is wrong. */
async function answerEarly(
  [first, ...rest]: readonly string[],
  { program, commands, stdout, stderr }: CliWorld,
): Promise<number | undefined> {
  if (first === "--version" || first === "-V") {
    stdout.write(`${program.name} ${program.version}\n`);
    return 0;
  }
  const [shell] = rest;
  if (first === "completion" && shell !== undefined && !isHelp(shell)) {
    stdout.write(`${completionScript(shell, program.name)}\n`);
    return 0;
  }
  if (first === "completion" || (first === "help" && shell === "completion")) {
    const isAsked = first === "help" || shell !== undefined;
    (isAsked ? stdout : stderr).write(`${completionHelp(program.name)}\n`);
    return isAsked ? 0 : 2;
  }
  if (first !== COMPLETE_WORD) return undefined;
  const found = await completeWords(commands, rest);
  stdout.write(found.map((word) => `${word}\n`).join(""));
  return 0;
}

function isHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

/** Asked for, help is the result; when a command is missing, it explains the failure. */
function showHelp(
  world: CliWorld,
  found: FoundCommand,
  { wantsHelp, color }: GlobalOptions,
): number {
  const { program, commands, environment } = world;
  const output = wantsHelp ? world.stdout : world.stderr;
  const look = { columns: output.columns, style: createStyle(output, environment, color) };
  const text =
    found.kind === "root"
      ? renderRootHelp(program, commands, look)
      : found.kind === "group"
        ? renderGroupHelp(program, found.group, found.commands, look)
        : renderCommandHelp(program, found.command, found.commands, look);
  output.write(`${text}\n`);
  return wantsHelp ? 0 : 2;
}

function showError(
  { stderr, environment }: CliWorld,
  argv: readonly string[],
  command: Command | undefined,
  error: unknown,
): void {
  // The arguments may be what is wrong, so they are only looked at, not parsed.
  const isJson = argv.includes("--json");
  const style = createStyle(stderr, environment, argv.includes("--color=never") ? "never" : "auto");
  stderr.write(`${isJson ? renderErrorJson(error) : renderErrorText(error, command, style)}\n`);
}

function sourcesOf({ stdin, readFile }: CliWorld) {
  return { readFile, readStdin: stdin.readAll, isStdinTTY: stdin.isTTY };
}
