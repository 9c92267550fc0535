/** `start`, `serve` and `work`: commands that stay. `hardened.ts` sees to how their process is started. */

import { parseArgs } from "node:util";
import { ProductError } from "../kernel/base/errors.ts";
import { withoutEquals } from "../surfaces/cli/read-start.ts";
import { initWorkspace } from "./first-minute.ts";
import { PROGRAM } from "./program.ts";
import { serve } from "./serve.ts";
import { type WorkOptions, work } from "./work.ts";
import { findWorkspace } from "./workspace-folder.ts";

export type LongCommand = "start" | "serve" | "work";

export async function runLongCommand(
  command: LongCommand,
  argv: readonly string[],
): Promise<number> {
  const values = readFlags(command, argv);
  if (values.help) {
    process.stdout.write(HELP[command]);
    return 0;
  }
  if (command === "work") {
    const concurrency = numberOf("concurrency", values.concurrency, 1);
    return workUntilStopped(findWorkspace(values.directory), { concurrency, view: values.view });
  }
  if (command === "start") await initWorkspace(values.directory, { hasSample: true });
  const folder = findWorkspace(values.directory);
  const serving = await serve(folder, {
    host: values.host,
    port: numberOf("port", values.port),
    allowRemote: values["allow-remote"],
    agents: values["no-agents"] !== true,
  });
  process.stdout.write(welcome(folder, serving.loginUrl));
  await untilStopped();
  process.stdout.write("\nStopping; what is under way is kept.\n");
  await serving.stop();
  return 0;
}

function readFlags(command: LongCommand, argv: readonly string[]) {
  try {
    return parseArgs({
      args: withoutEquals(argv),
      allowPositionals: true,
      options: {
        directory: { type: "string", short: "C", default: "." },
        host: { type: "string" },
        port: { type: "string" },
        "allow-remote": { type: "boolean" },
        "no-agents": { type: "boolean" },
        concurrency: { type: "string" },
        view: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    const [said = "This cannot be read."] = (error as Error).message.split(". ");
    throw new ProductError("flag_unknown", said, {
      hint: `\`${PROGRAM.name} ${command} --help\` lists what there is.`,
    });
  }
}

async function workUntilStopped(folder: string, options: WorkOptions): Promise<number> {
  const working = await work(folder, options);
  const only = options.view === undefined ? "" : `, tasks of the view "${options.view}" only`;
  process.stdout.write(`Working on ${working.location}${only}; stop with Ctrl+C.\n`);
  await untilStopped();
  process.stdout.write("\nStopping; what is under way goes back to the queue.\n");
  await working.stop();
  return 0;
}

/** A terminal sends Ctrl+C to us and to whoever started us, who passes it on: that is one wish, not two. */
const SAME_WISH_MS = 1000;

function untilStopped(): Promise<void> {
  let toldAt: number | undefined;
  return new Promise((resolve) => {
    const stop = () => {
      toldAt ??= performance.now();
      if (performance.now() - toldAt > SAME_WISH_MS) process.exit(130);
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
}

function numberOf(name: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  const from = least === 0 ? "" : ` from ${least} on`;
  throw new ProductError("flag_invalid", `--${name} takes a whole number${from}, not "${text}".`);
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
      --no-agents       leave tasks that agents have to workers and to \`task run\`
`;

const HELP: Readonly<Record<LongCommand, string>> = {
  start: `throughline start — make a workspace here if there is none, and run it\n\n${COMMON_HELP}`,
  serve: `throughline serve — run the workspace of this folder\n\n${COMMON_HELP}`,
  work: `throughline work — one more worker on a PostgreSQL workspace\n
  -C, --directory DIR   where the workspace's folder is; this folder unless given
      --concurrency N   turns under way at once
      --view NAME       take up only tasks of this saved view, in its order, and do nothing else;
                        without PostgreSQL this works where no server runs\n`,
};
