/** The command line: operations in the running server if there is one, else here; and the program's own commands. */

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { CommandDescription } from "../kernel/operation/command-description.ts";
import type { IndexedNoun } from "../kernel/operation/noun-index.ts";
import type { CliInput, CliOutput, CliWorld } from "../surfaces/cli/cli-world.ts";
import { groupsOf } from "../surfaces/cli/command.ts";
import { findDaemonAddress } from "../surfaces/cli/daemon-address.ts";
import {
  createHttpClient,
  describeOverHttp,
  type HttpAddress,
  isAnswering,
} from "../surfaces/cli/http-client.ts";
import type { OperationClient } from "../surfaces/cli/operation-client.ts";
import { runCli } from "../surfaces/cli/run-cli.ts";
import { listNouns } from "./methods.ts";
import { ownGroups } from "./own-commands.ts";
import { PROGRAM } from "./program.ts";
import { findFolder, findWorkspace } from "./workspace-folder.ts";

export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  process.once("SIGTERM", () => stopping.abort());
  // Only described here: whoever performs an operation knows its folder.
  const nouns = listNouns(() => "");
  const world: CliWorld = {
    program: PROGRAM,
    commands: { groups: [...ownGroups, ...groupsOf(nouns, describeCommands)] },
    connect: (directory) => connect(findWorkspace(directory)),
    stdin: standardInput,
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    environment: process.env,
    directory: process.cwd(),
    signal: stopping.signal,
    now: () => Date.now(),
    readFile: (file) => readFile(path.resolve(file), "utf8"),
    openTerminal: async () => {
      const { openTerminal } = await import("./open-terminal.ts");
      return openTerminal(stopping.signal);
    },
    nextKey: () => randomBytes(16).toString("hex"),
  };
  return runCli(argv, world);
}

/** A server that answers owns the workspace; without one, the workspace is opened here. */
export async function connect(folder: string): Promise<OperationClient> {
  const server = await findServer(folder);
  if (server) return createHttpClient(server);
  const { connectHere } = await import("./connect-here.ts");
  return connectHere(folder);
}

/** The server knows its own commands best, and asking it is quicker than loading what describes them. */
async function describeCommands(
  noun: IndexedNoun,
  word: string,
  directory = ".",
): Promise<readonly CommandDescription[]> {
  const folder = findFolder(directory, process.env);
  const server = folder === undefined ? undefined : await findServer(folder);
  if (server) return describeOverHttp(server, word);
  const { describeCommand, operationsUnder } = await import(
    "../kernel/operation/command-description.ts"
  );
  return operationsUnder(word, await noun.load()).map((operation) => describeCommand(operation));
}

const servers = new Map<string, Promise<HttpAddress | undefined>>();

function findServer(folder: string): Promise<HttpAddress | undefined> {
  const known = servers.get(folder) ?? lookForServer(folder);
  servers.set(folder, known);
  return known;
}

/** Looks every time: servers come and go. */
export async function lookForServer(folder: string): Promise<HttpAddress | undefined> {
  const address = await findDaemonAddress(folder);
  return address && (await isAnswering(address)) ? address : undefined;
}

const standardInput: CliInput = {
  isTTY: process.stdin.isTTY ?? false,
  readAll: async () => {
    const { text } = await import("node:stream/consumers");
    return text(process.stdin);
  },
  bytes: () => process.stdin,
  readPaste: async (question, signal) => {
    const { readPaste } = await import("./read-paste.ts");
    return readPaste(question, process.stdin, process.stderr, signal);
  },
  ask: async (question) => {
    const { createInterface } = await import("node:readline/promises");
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  },
};

export function outputOf(stream: NodeJS.WriteStream): CliOutput {
  return {
    isTTY: stream.isTTY ?? false,
    get columns() {
      return stream.columns ?? 80;
    },
    get rows() {
      return stream.rows ?? 24;
    },
    write: (text) => void stream.write(text),
  };
}
