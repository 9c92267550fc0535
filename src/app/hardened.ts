/**
 * Long-lived processes run with code generation from strings switched off. Nothing of the product is loaded here: a
 * process that only starts itself again should not have read all of it before.
 */

import { spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import path from "node:path";

/**
 * Only the command line can set these; the program starts itself again with them where they are missing. Room for
 * fresh objects grows to 96 MB a thread by itself, most of it while loading, and is never given back.
 */
const FLAGS = [
  "--disallow-code-generation-from-strings",
  "--disable-proto=throw",
  "--max-semi-space-size=8",
];

/** Whether this process was started with all of them. */
export function isHardened(): boolean {
  return FLAGS.every((flag) => process.execArgv.includes(flag));
}

export function startAgain(argv: readonly string[]): Promise<number> {
  const main = process.argv[1] ?? "";
  const child = spawn(process.execPath, [...FLAGS, ...process.execArgv, main, ...argv], {
    stdio: "inherit",
    env: { ...process.env, ...keptCode() },
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", forward);
  process.on("SIGTERM", forward);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

/** Switched on from the outside, the cache of compiled code also serves the file we start with and our threads. */
function keptCode(): Record<string, string> {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(directory) };
}
