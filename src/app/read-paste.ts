/**
 * Reads what is pasted on a terminal. A terminal that hands over lines keeps no more than 4,096 characters of each, and
 * says nothing of the rest: so it is read key by key, and shown as it comes.
 */

import { StringDecoder } from "node:string_decoder";
import type { ReadStream } from "node:tty";
import { safeText } from "../surfaces/cli/safe-text.ts";

/** Ctrl+C and Ctrl+D. */
const INTERRUPT = "\u0003";
const END = "\u0004";

/** Asks, and gives what comes up to Ctrl+D; nothing where the terminal is closed or the person interrupts. */
export function readPaste(
  question: string,
  input: ReadStream,
  output: { write(text: string): unknown },
  signal: AbortSignal,
): Promise<string> {
  const decoder = new StringDecoder("utf8");
  let pasted = "";
  return new Promise((resolve) => {
    const finish = (text: string, rest = "") => {
      input.off("data", onData).off("end", onEnd);
      signal.removeEventListener("abort", onEnd);
      input.pause();
      input.setRawMode(false);
      // What is typed ahead is the answer to what is asked next.
      if (rest !== "") input.unshift(Buffer.from(rest));
      output.write("\n");
      resolve(text);
    };
    const onEnd = () => finish("");
    const onData = (chunk: Buffer) => {
      const typed = decoder.write(chunk).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
      const [words = ""] = typed.split(INTERRUPT, 1)[0]?.split(END, 1) ?? [];
      pasted += words;
      output.write(safeText(words));
      if (words === typed) return;
      if (typed.charAt(words.length) === END) {
        finish(pasted, typed.slice(words.length + 1));
        return;
      }
      finish("");
      process.kill(process.pid, "SIGINT");
    };
    // Before it asks: what comes at once must not be taken for lines.
    input.setRawMode(true);
    input.on("data", onData).on("end", onEnd);
    signal.addEventListener("abort", onEnd);
    input.resume();
    output.write(question);
  });
}
