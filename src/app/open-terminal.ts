/** Questions to the person at the terminal, also when standard input was redirected: `harvest PACKET < answer.md`. */

import { openSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { ReadStream } from "node:tty";
import type { CliTerminal } from "../surfaces/cli/cli-world.ts";

export function openTerminal(signal: AbortSignal): CliTerminal | undefined {
  const input = process.stdin.isTTY ? process.stdin : openDevice();
  if (input === undefined) return undefined;
  const lines = createInterface({ input, output: process.stderr });
  const closed = new Promise<undefined>((resolve) => {
    lines.once("close", () => resolve(undefined));
  });
  // What is typed before it is asked for is the answer to what is asked next.
  const ahead: string[] = [];
  lines.on("line", (line) => ahead.push(line));
  // The line editor takes Ctrl+C for itself; the program is to hear of it as it always does.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  return {
    ask: (question) =>
      ahead.length > 0 ? answerTo(question) : Promise.race([answerTo(question), closed]),
    close: () => {
      lines.close();
      if (input !== process.stdin) input.destroy();
    },
  };

  async function answerTo(question: string): Promise<string | undefined> {
    const typed = ahead.shift();
    if (typed !== undefined) {
      process.stderr.write(`${question}${typed}\n`);
      return typed;
    }
    try {
      return await lines.question(question, { signal });
    } catch {
      return undefined;
    }
  }
}

/** Undefined where there is no terminal: in a pipeline, in a container, under a scheduler. */
function openDevice(): ReadStream | undefined {
  try {
    return new ReadStream(
      openSync(process.platform === "win32" ? "\\\\.\\CONIN$" : "/dev/tty", "r"),
    );
  } catch {
    return undefined;
  }
}
