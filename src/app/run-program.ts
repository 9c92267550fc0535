/**
 * Decides what a command line starts. Long-lived commands are the app's own and are loaded only when asked for;
 * everything else is an operation and belongs to the command-line surface.
 */

import { describeError } from "../kernel/base/errors.ts";
import { PROGRAM } from "./program.ts";

const OLDEST_NODE = [24, 15] as const;

export async function runProgram(argv: readonly string[]): Promise<number> {
  const tooOld = complainAboutNode(process.versions.node);
  if (tooOld !== undefined) {
    process.stderr.write(`${tooOld}\n`);
    return 1;
  }
  const command = commandIn(argv);
  try {
    switch (command) {
      case "start":
      case "serve":
      case "work": {
        const { runLongCommand } = await import("./long-commands.ts");
        return await runLongCommand(command, argv);
      }
      default: {
        const { runCommandLine } = await import("./command-line.ts");
        return await runCommandLine(argv);
      }
    }
  } catch (error) {
    const { code, message, hint } = describeError(error);
    process.stderr.write(
      `${PROGRAM.name}: ${message}${hint === undefined ? "" : `\n  ${hint}`}\n  (${code})\n`,
    );
    const { exitCodeOfError } = await import("../surfaces/cli/exit-code.ts");
    return exitCodeOfError(error);
  }
}

/** The first word that is neither an option nor the folder that follows one. */
function commandIn(argv: readonly string[]): string | undefined {
  return argv.find((word, position) => {
    const before = argv[position - 1];
    return !word.startsWith("-") && before !== "-C" && before !== "--directory";
  });
}

/** A bin started by hand may meet an older Node, which would only fail somewhere deep. */
function complainAboutNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = OLDEST_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined;
  return `${PROGRAM.name} needs Node ${wantedMajor}.${wantedMinor} or newer; this is ${version}. In a clone, \`npm start\` brings its own.`;
}
