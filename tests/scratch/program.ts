/** The program as people start it: real processes, real folders, real addresses. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

export interface ScratchFolder {
  readonly folder: string;
  /** Runs one command to its end. */
  run(args: readonly string[], stdin?: string, more?: Environment): Promise<Outcome>;
  /** Starts the server and waits until it prints its address. */
  serve(args?: readonly string[]): Promise<Server>;
  /** Ends what still runs and removes the folder. */
  remove(): Promise<void>;
}

export interface Server {
  /** What it printed: lets its first visitor in. */
  readonly loginUrl: string;
  readonly url: string;
  readonly token: string;
  readonly startedInMs: number;
  readonly processId: number;
  /** Everything it has said so far, on both its outputs. */
  said(): string;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export function scratchFolder(environment: Environment = {}): ScratchFolder {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-journey-"));
  const {
    ANTHROPIC_API_KEY: _a,
    OPENAI_API_KEY: _o,
    GOOGLE_GENERATIVE_AI_API_KEY: _g,
    ...rest
  } = process.env;
  const servers: Server[] = [];
  const env = { ...rest, NO_COLOR: "1", THROUGHLINE_PORT: "0", ...environment };
  return {
    folder,
    run: (args, stdin = "", more = {}) =>
      new Promise((resolve) => {
        const child = execFile(
          process.execPath,
          [MAIN, ...args],
          { cwd: folder, env: { ...env, ...more }, timeout: 60_000 },
          (error, stdout, stderr) => {
            const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
            resolve({ code, stdout, stderr });
          },
        );
        child.stdin?.end(stdin);
      }),
    serve: async (args = ["start"]) => {
      const server = await startServer(folder, env, args);
      servers.push(server);
      return server;
    },
    remove: async () => {
      for (const server of servers) await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const QUIET_MS = 400;

/**
 * How many times as long everything takes now as where nothing else runs: what is promised for a quiet machine may take
 * as many times as long.
 */
export async function strainNow(home: ScratchFolder): Promise<number> {
  const begun = performance.now();
  await home.run(["--version"]);
  return Math.max(1, (performance.now() - begun) / QUIET_MS);
}

async function startServer(
  folder: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<Server> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const output of [child.stdout, child.stderr])
    output.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const loginUrl = await printedAddress(child);
  const startedInMs = performance.now() - startedAt;
  const file = path.join(folder, ".throughline", "server.json");
  const { url, token, processId } = JSON.parse(await readFile(file, "utf8")) as {
    url: string;
    token: string;
    processId: number;
  };
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    loginUrl,
    url,
    token,
    startedInMs,
    processId,
    said: () => said,
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) process.kill(processId, "SIGKILL");
      await gone;
    },
    stop: async () => {
      child.kill("SIGTERM");
      await gone;
    },
  };
}

function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /http:\/\/\S+#code=\S+/.exec(printed);
      if (found) resolve(found[0]);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}: ${printed}`)));
  });
}
