/**
 * `mcp`: agents over standard input and output. A client keeps this process as long as it is open itself, so the
 * workspace is not held for as long: whoever serves it does the work, and only where nobody does, it is opened here and
 * let go of once nothing is under way.
 */

import { randomBytes } from "node:crypto";
import { ProductError } from "../kernel/base/errors.ts";
import type { Permission } from "../kernel/operation/caller.ts";
import { loadOperations } from "../kernel/operation/noun-index.ts";
import { createHttpClient } from "../surfaces/cli/http-client.ts";
import type { OperationClient } from "../surfaces/cli/operation-client.ts";
import { serveMcpOverStdio } from "../surfaces/mcp/mcp-stdio.ts";
import type { McpVisitor } from "../surfaces/mcp/mcp-visitor.ts";
import type { ToolChoice } from "../surfaces/mcp/tools.ts";
import { agentInstructions } from "./agent-instructions.ts";
import { lookForServer } from "./command-line.ts";
import { readConfig } from "./config.ts";
import { listNouns } from "./methods.ts";
import { openWorkspaceLibrary, reportTrouble } from "./open-workspace.ts";
import { PROGRAM } from "./program.ts";

/** A token with fewer rights than the owner's, for the server that runs. */
const TOKEN_VARIABLE = "THROUGHLINE_TOKEN";
const LET_GO_MS = 3000;

export async function hostMcp(
  folder: string,
  choice: ToolChoice,
  stopping: AbortSignal,
): Promise<void> {
  const way = findWay(folder, process.env[TOKEN_VARIABLE]);
  try {
    const operations = await loadOperations(listNouns(() => folder));
    const effects = new Map(operations.map(({ name, effect }) => [name, effect]));
    const me = await way.use((client) => client.invoke("user.me", {}, { signal: stopping }));
    const { permissions } = me.output as { readonly permissions: readonly Permission[] };
    const visitor: McpVisitor = {
      may: (permission) => permissions.includes(permission),
      invoke: (name, input, options) =>
        way.use(async (client) => {
          // A broken connection may be tried again: the key makes it happen once.
          const key = effects.get(name) === "reads" ? undefined : randomBytes(16).toString("hex");
          return (await client.invoke(name, input, { ...options, idempotencyKey: key })).output;
        }),
    };
    const library = openWorkspaceLibrary(readConfig(folder, process.env));
    const surface = {
      program: PROGRAM,
      operations,
      library,
      choice,
      instructions: agentInstructions(library),
      onTrouble: reportTrouble,
    };
    await serveMcpOverStdio(surface, visitor, stopping);
  } finally {
    await way.close();
  }
}

interface Way {
  use<Result>(act: (client: OperationClient) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

function findWay(folder: string, token: string | undefined): Way {
  let here: Promise<OperationClient> | undefined;
  let inUse = 0;
  let timer: NodeJS.Timeout | undefined;

  const letGo = async () => {
    const client = here;
    here = undefined;
    if (client !== undefined) await (await client).close();
  };
  const letGoWhenIdle = async () => {
    if (inUse > 0 || here === undefined) return;
    const client = await here;
    const isBusy = await hasWork(client);
    if (inUse > 0) return;
    if (isBusy) plan();
    else await letGo();
  };
  const plan = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void letGoWhenIdle().catch(reportTrouble), LET_GO_MS);
    timer.unref();
  };
  const connectHere = async () => {
    const { connectHere: connect } = await import("./connect-here.ts");
    return connect(folder);
  };

  return {
    use: async (act) => {
      const server = await lookForServer(folder);
      if (server !== undefined)
        return act(createHttpClient(token === undefined ? server : { ...server, token }));
      if (token !== undefined) throw tokenNeedsServer();
      inUse += 1;
      try {
        here ??= connectHere();
        return await act(await here);
      } finally {
        inUse -= 1;
        if (inUse === 0) plan();
      }
    },
    close: async () => {
      clearTimeout(timer);
      await letGo();
    },
  };
}

/** Runs that this process may be the only one to carry on. */
async function hasWork(client: OperationClient): Promise<boolean> {
  const { signal } = new AbortController();
  const open = { state: ["queued", "running"], limit: 1 };
  const { output } = await client.invoke("run.list", open, { signal });
  return (output as { readonly items: readonly unknown[] }).items.length > 0;
}

function tokenNeedsServer(): ProductError {
  return new ProductError("token_needs_server", "A token lets you into a server, and none runs.", {
    kind: "unavailable",
    hint: `Start it with \`throughline serve\`, or leave ${TOKEN_VARIABLE} out.`,
  });
}
