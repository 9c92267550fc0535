/** Somebody who follows a page: one shell, in one folder, from its first line to its last. */

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const root = path.join(import.meta.dirname, "..", "..");
const main = path.join(root, "src", "main.ts");

/** Who the reader is to git. */
export const READER: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: "Mara",
  GIT_AUTHOR_EMAIL: "mara@example.org",
  GIT_COMMITTER_NAME: "Mara",
  GIT_COMMITTER_EMAIL: "mara@example.org",
  GIT_CONFIG_NOSYSTEM: "1",
};

export interface Typed {
  readonly code: number;
  readonly output: string;
  /** Progress, which a terminal does not keep, and what went wrong. */
  readonly remarks: string;
}

export interface Reader {
  type(command: string): Promise<Typed>;
  /** Ends the shell and what it left running. */
  leave(): Promise<void>;
}

/**
 * `home` is the reader's home folder; they begin in a folder of it. What stays (`serve`, `work`) is left running as in a
 * second terminal: the shell goes on when it says that it runs.
 */
export function startReader(home: string, folder: string, programs: string): Reader {
  const notes = path.join(home, ".reader");
  mkdirSync(notes, { recursive: true });
  const {
    ANTHROPIC_API_KEY: _a,
    OPENAI_API_KEY: _o,
    GOOGLE_GENERATIVE_AI_API_KEY: _g,
    ...inherited
  } = process.env;
  const shell = spawn("bash", ["--noprofile", "--norc"], {
    cwd: folder,
    stdio: ["pipe", "ignore", "inherit", "pipe"],
    env: {
      ...inherited,
      PATH: `${programs}${path.delimiter}${process.env["PATH"] ?? ""}`,
      HOME: home,
      TL_LEFT_RUNNING: path.join(notes, "left-running"),
      NO_COLOR: "1",
      TZ: "UTC",
      COLUMNS: "120",
      THROUGHLINE_PORT: "0",
      ...READER,
    },
  });
  const ended = createInterface({ input: shell.stdio[3] as Readable });
  const codes = ended[Symbol.asyncIterator]();
  let typed = 0;
  return {
    type: async (command) => {
      typed += 1;
      const script = path.join(notes, `${typed}.sh`);
      const [output, remarks] = [
        path.join(notes, `${typed}.out`),
        path.join(notes, `${typed}.err`),
      ];
      writeFileSync(script, `${command}\n`);
      // A piece of several lines ends where one of them fails.
      const run = command.includes("\n")
        ? `( set -eo pipefail; source ${script}; pwd > ${notes}/pwd )`
        : `set -o pipefail; source ${script}`;
      shell.stdin?.write(
        `${run} > ${output} 2> ${remarks} < /dev/null; code=$?; [ -f ${notes}/pwd ] && cd "$(cat ${notes}/pwd)"; rm -f ${notes}/pwd; echo "$code" >&3\n`,
      );
      const next = await codes.next();
      if (next.done) throw new Error(`The shell ended: ${command}`);
      const read = (file: string) => readFileSync(file, "utf8");
      return { code: Number(next.value), output: read(output), remarks: read(remarks) };
    },
    leave: async () => {
      await endOf(shell);
      await endLeftRunning(path.join(notes, "left-running"));
    },
  };
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.stdin?.end();
  });
}

async function endLeftRunning(file: string): Promise<void> {
  if (!existsSync(file)) return;
  const processes = readFileSync(file, "utf8").trim().split("\n").map(Number);
  const isThere = (id: number) => {
    try {
      return process.kill(id, 0);
    } catch {
      return false;
    }
  };
  for (const id of processes.filter((one) => isThere(one))) process.kill(id, "SIGTERM");
  while (processes.some((id) => isThere(id)))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Starts what stays, shows what it prints until it runs, and notes its process. */
const STAYS = `
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, openSync, readFileSync } from "node:fs";
const file = process.env.TL_LEFT_RUNNING + "." + process.pid + ".log";
const log = openSync(file, "a");
const child = spawn(process.execPath, [${JSON.stringify(main)}, ...process.argv.slice(2)], { stdio: ["ignore", log, log], detached: true });
closeSync(log);
appendFileSync(process.env.TL_LEFT_RUNNING, child.pid + "\\n");
const look = setInterval(() => {
  const printed = readFileSync(file, "utf8");
  if (!/Ctrl\\+C/.test(printed)) return;
  process.stdout.write(printed);
  clearInterval(look);
  child.unref();
}, 20);
child.once("exit", (code) => {
  process.stdout.write(readFileSync(file, "utf8"));
  process.exit(code ?? 1);
});
`;

/** The programs that a reader has: ours, npm scripts of this repository, and agents that answer offline. */
export function installPrograms(folder: string): void {
  const add = (name: string, body: string) => {
    writeFileSync(path.join(folder, name), `#!/bin/bash\n${body}\n`);
    chmodSync(path.join(folder, name), 0o755);
  };
  const node = JSON.stringify(process.execPath);
  writeFileSync(path.join(folder, "stays.mjs"), STAYS);
  add(
    "throughline",
    `for word in "$@"; do [ "$word" = --help ] && exec ${node} ${main} "$@"; done
case "$1" in start|serve|work) exec ${node} ${folder}/stays.mjs "$@";; esac
exec ${node} ${main} "$@"`,
  );
  // \`npm start\` and \`npm run -s throughline -- …\` of a clone, without npm's own half second.
  add(
    "npm",
    `case "$1 $2 $3 $4" in
"start   ") exec throughline start;;
"run -s throughline --") shift 4; exec throughline "$@";;
esac
echo "npm $*: not in a test" >&2; exit 1`,
  );
  for (const agent of ["claude", "codex"])
    add(
      agent,
      `cat > /dev/null; echo '{"reply": "I am here.", "answer": "Begin with the lease.", "confidence": 0.8, "followUps": []}'`,
    );
}
