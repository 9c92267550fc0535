/** `start`, `serve` and `work`: commands that stay. They run with code generation from strings switched off. */

import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { ProductError } from "../kernel/base/errors.ts";
import { initWorkspace } from "./first-minute.ts";
import { openWorkspace } from "./open-workspace.ts";
import { PROGRAM } from "./program.ts";
import { runEngineHere } from "./run-engine.ts";
import { serve } from "./serve.ts";
import { findWorkspace } from "./workspace-folder.ts";

export type LongCommand = "start" | "serve" | "work";

/** Only the command line can set these; the program starts itself again with them where they are missing. */
const SAFE_FLAGS = ["--disallow-code-generation-from-strings", "--disable-proto=throw"];

export async function runLongCommand(
  command: LongCommand,
  argv: readonly string[],
): Promise<number> {
  if (!SAFE_FLAGS.every((flag) => process.execArgv.includes(flag))) return startAgain(argv);
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      directory: { type: "string", short: "C", default: "." },
      host: { type: "string" },
      port: { type: "string" },
      "allow-remote": { type: "boolean" },
      concurrency: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(HELP[command]);
    return 0;
  }
  if (command === "work")
    return work(values.directory, numberOf("concurrency", values.concurrency));
  if (command === "start") await initWorkspace(values.directory, { hasSample: true });
  const folder = findWorkspace(values.directory);
  const serving = await serve(folder, {
    host: values.host,
    port: numberOf("port", values.port),
    allowRemote: values["allow-remote"],
  });
  process.stdout.write(welcome(folder, serving.loginUrl));
  await untilStopped();
  process.stdout.write("\nStopping; what is under way is kept.\n");
  await serving.stop();
  return 0;
}

/** A worker beside others: any number of them on one PostgreSQL. */
async function work(directory: string, concurrency: number | undefined): Promise<number> {
  const workspace = await openWorkspace(findWorkspace(directory));
  if (workspace.config.database === undefined) {
    await workspace.close();
    throw new ProductError(
      "work_needs_postgres",
      "This workspace is embedded: its server is its only worker.",
      {
        hint: "Use `serve` here, or set a PostgreSQL address in config.json to spread the work over machines.",
      },
    );
  }
  const settings = { ...workspace.config, ...(concurrency === undefined ? {} : { concurrency }) };
  const engine = await runEngineHere(workspace.kernel, settings, () => undefined);
  workspace.onWake(() => engine.wake());
  process.stdout.write(`Working on ${workspace.kernel.store.location}; stop with Ctrl+C.\n`);
  await untilStopped();
  await engine.stop();
  await workspace.close();
  return 0;
}

function startAgain(argv: readonly string[]): Promise<number> {
  const main = process.argv[1] ?? "";
  const child = spawn(process.execPath, [...SAFE_FLAGS, ...process.execArgv, main, ...argv], {
    stdio: "inherit",
  });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on("SIGINT", forward);
  process.on("SIGTERM", forward);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new ProductError("flag_invalid", `--${name} takes a whole number, not "${text}".`);
}

function welcome(folder: string, url: string): string {
  return [
    "",
    `  ${PROGRAM.title} ${PROGRAM.version} is running.`,
    "",
    `  Open      ${url}`,
    `  Data      ${folder}`,
    "",
    "  The address lets you in once, within ten minutes; `throughline open` prints another.",
    "  No key is needed: without one, the rehearsal model answers.",
    "  Stop with Ctrl+C.",
    "",
    "",
  ].join("\n");
}

const COMMON_HELP = `  -C, --directory DIR   where the workspace is; this folder unless given
      --host HOST       address to listen on; 127.0.0.1 unless given
      --port PORT       port to listen on; the next free one is taken if it is in use
      --allow-remote    let other machines in (needs users with passwords, and TLS or a proxy)
`;

const HELP: Readonly<Record<LongCommand, string>> = {
  start: `throughline start — make a workspace here if there is none, and run it\n\n${COMMON_HELP}`,
  serve: `throughline serve — run the workspace of this folder\n\n${COMMON_HELP}`,
  work: `throughline work — one more worker on a PostgreSQL workspace\n
  -C, --directory DIR   where the workspace's folder is; this folder unless given
      --concurrency N   turns under way at once\n`,
};
