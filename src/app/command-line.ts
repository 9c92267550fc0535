/** The command line: operations in the running server if there is one, else here; and the program's own commands. */

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { text as readAllText } from "node:stream/consumers";
import { createOperationRegistry } from "../kernel/operation/operation-registry.ts";
import type { CliOutput, CliWorld } from "../surfaces/cli/cli-world.ts";
import { groupsOf } from "../surfaces/cli/command.ts";
import { findDaemonAddress } from "../surfaces/cli/daemon-address.ts";
import { createHttpClient } from "../surfaces/cli/http-client.ts";
import type { OperationClient } from "../surfaces/cli/operation-client.ts";
import { runCli } from "../surfaces/cli/run-cli.ts";
import { listOperations, NOUNS } from "./methods.ts";
import { ownGroups } from "./own-commands.ts";
import { PROGRAM } from "./program.ts";

export async function runCommandLine(argv: readonly string[]): Promise<number> {
  // Only described here: whoever performs an operation has a registry of its own.
  const registry = createOperationRegistry(
    listOperations(() => ""),
    NOUNS,
  );
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  process.once("SIGTERM", () => stopping.abort());
  const world: CliWorld = {
    program: PROGRAM,
    commands: { groups: [...ownGroups, ...groupsOf(registry)] },
    connect: async (directory) => {
      const { findWorkspace } = await import("./workspace-folder.ts");
      return connect(findWorkspace(directory));
    },
    stdin: {
      isTTY: process.stdin.isTTY ?? false,
      readAll: () => readAllText(process.stdin),
      ask: async (question) => {
        const lines = createInterface({ input: process.stdin, output: process.stderr });
        try {
          return await lines.question(question);
        } finally {
          lines.close();
        }
      },
    },
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    environment: process.env,
    directory: process.cwd(),
    signal: stopping.signal,
    now: () => Date.now(),
    readFile: (file) => readFile(path.resolve(file), "utf8"),
    nextKey: () => randomBytes(16).toString("hex"),
  };
  return runCli(argv, world);
}

/** A server that answers owns the workspace; without one, the workspace is opened here. */
export async function connect(folder: string): Promise<OperationClient> {
  const address = await findDaemonAddress(folder);
  if (address && (await answers(address.url))) return createHttpClient(address);
  const { connectHere } = await import("./connect-here.ts");
  return connectHere(folder);
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1500) });
    return response.ok;
  } catch {
    return false;
  }
}

function outputOf(stream: NodeJS.WriteStream): CliOutput {
  return {
    isTTY: stream.isTTY ?? false,
    columns: stream.columns ?? 80,
    write: (text) => void stream.write(text),
  };
}
