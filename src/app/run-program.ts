/**
 * Decides what a command line starts. Long-lived commands are the app's own and are loaded only when asked for;
 * everything else is an operation and belongs to the command-line surface.
 */

import { takesNext } from "../surfaces/cli/read-start.ts";

export async function runProgram(argv: readonly string[]): Promise<number> {
  const command = commandIn(argv);
  try {
    switch (command) {
      case "start":
      case "serve":
      case "work": {
        const { isHardened, startAgain } = await import("./hardened.ts");
        if (!isHardened()) return await startAgain(argv);
        const { runLongCommand } = await import("./long-commands.ts");
        return await runLongCommand(command, argv);
      }
      default: {
        const { runCommandLine } = await import("./command-line.ts");
        return await runCommandLine(argv);
      }
    }
  } catch (error) {
    const { renderErrorText } = await import("../surfaces/cli/render-error.ts");
    const { createStyle } = await import("../surfaces/cli/style.ts");
    const { exitCodeOfError } = await import("../surfaces/cli/exit-code.ts");
    const { outputOf } = await import("./command-line.ts");
    const output = outputOf(process.stderr);
    const style = createStyle(output, process.env, "auto");
    output.write(`${renderErrorText(error, undefined, style)}\n`);
    return exitCodeOfError(error);
  }
}

/** The first word that is neither an option nor the value of one. */
function commandIn(argv: readonly string[]): string | undefined {
  return argv.find(
    (word, position) => !word.startsWith("-") && !takesNext(argv[position - 1] ?? ""),
  );
}
