/** `start` and `serve`: the workspace, its engine and its server in one process, until told to stop. */

import { hash } from "node:crypto";
import path from "node:path";
import { isAllowed } from "../kernel/operation/authorise.ts";
import type { Caller } from "../kernel/operation/caller.ts";
import { invoke, type Perform } from "../kernel/operation/invoke.ts";
import { issueToken } from "../kernel/operation/issue-token.ts";
import type { Kernel } from "../kernel/operation/kernel.ts";
import { loadOperations } from "../kernel/operation/noun-index.ts";
import { createOperationRegistry } from "../kernel/operation/operation-registry.ts";
import { createLoginCode } from "../kernel/operation/start-login.ts";
import { webhookDoor } from "../methods/pipeline/starters/webhook-door.ts";
import { removeDaemonAddress, writeDaemonAddress } from "../surfaces/cli/daemon-address.ts";
import { type HttpServer, startHttpServer } from "../surfaces/http/http-server.ts";
import { openPages } from "../surfaces/http/page-files.ts";
import { mcpOverHttp } from "../surfaces/mcp/mcp-http.ts";
import type { McpVisitor } from "../surfaces/mcp/mcp-visitor.ts";
import { agentInstructions } from "./agent-instructions.ts";
import { dialecticArchiveRoute } from "./dialectic-archive-route.ts";
import { findAdmin } from "./first-user.ts";
import { keepUp, type UpkeepOptions } from "./keep-up.ts";
import { listNouns } from "./methods.ts";
import { metricsRoute } from "./metrics-route.ts";
import { openWorkspace, reportTrouble, type Workspace } from "./open-workspace.ts";
import { PROGRAM } from "./program.ts";
import {
  type EngineThread,
  type RunningEngine,
  runEngineHere,
  runEngineInThread,
} from "./run-engine.ts";
import { openSecurityLog } from "./security-log.ts";
import { readCertificate } from "./tls-files.ts";
import { webhookKey } from "./webhook-key.ts";
import { lockOrRefuse } from "./workspace-lock.ts";

export interface ServeOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly allowRemote?: boolean | undefined;
  /** Whether agents take up their tasks here; they do unless it is false. */
  readonly agents?: boolean | undefined;
}

export interface Serving {
  readonly url: string;
  /** The address that lets its first visitor in, once, within ten minutes. */
  readonly loginUrl: string;
  stop(): Promise<void>;
}

const PAGES = path.join(import.meta.dirname, "..", "..", "web", "dist");
const A_YEAR_MS = 365 * 24 * 60 * 60_000;

export async function serve(folder: string, options: ServeOptions = {}): Promise<Serving> {
  const lock = lockOrRefuse(folder);
  const workspace = await openWorkspace(folder);
  const { kernel } = workspace;
  const admin = await findAdmin(kernel);
  const work = await startWork(workspace, { agents: options.agents ?? true });
  workspace.onWake(() => work.wake());
  const server = await listen(workspace, work, options).catch(async (error: unknown) => {
    await work.stop();
    await workspace.close();
    lock.release();
    throw error;
  });
  const { text: token } = await issueToken(kernel, {
    userId: admin.id,
    name: "command line of the running server",
    expiresAt: kernel.clock.now() + A_YEAR_MS,
    actor: admin.id,
  });
  await writeDaemonAddress(folder, { url: server.url, token, processId: process.pid });
  return {
    url: server.url,
    loginUrl: await loginUrl(kernel, server.url, admin.id),
    stop: async () => {
      await removeDaemonAddress(folder);
      await server.close();
      await work.stop();
      await workspace.close();
      lock.release();
    },
  };
}

export async function loginUrl(kernel: Kernel, url: string, userId: string): Promise<string> {
  return `${url}/#code=${await createLoginCode(kernel, { userId, actor: userId })}`;
}

/** A file has one writer at a time and commits block, so an embedded workspace is written in a thread of its own. */
async function startWork(
  workspace: Workspace,
  kept: UpkeepOptions,
): Promise<RunningEngine | EngineThread> {
  const { kernel, config, changes } = workspace;
  const onCommit = () => changes.notify();
  if (config.database === undefined) return runEngineInThread(config.folder, kept, onCommit);
  const engine = await runEngineHere(kernel, config, onCommit);
  const upkeep = keepUp(workspace, kept);
  return {
    wake: () => engine.wake(),
    stop: async () => {
      await upkeep.stop();
      await engine.stop();
    },
  };
}

async function listen(
  { kernel, config }: Workspace,
  work: RunningEngine | EngineThread,
  options: ServeOptions,
): Promise<HttpServer> {
  const nouns = listNouns(() => config.folder);
  const registry = createOperationRegistry(await loadOperations(nouns), nouns);
  const perform: Perform = (name, caller, input, how) =>
    "perform" in work && registry.find(name)?.effect !== "reads"
      ? work.perform(name, caller, input, how)
      : invoke(kernel, registry, name, caller, input, how);
  const mcp = mcpOverHttp({
    program: PROGRAM,
    operations: registry.operations,
    library: kernel.library,
    instructions: agentInstructions(kernel.library),
    onTrouble: reportTrouble,
  });
  const securityLog = openSecurityLog(config.folder, reportTrouble);
  return startHttpServer({
    kernel,
    registry,
    perform,
    extraRoutes: [
      {
        path: "/mcp",
        handle: (request, { caller }, refused) => mcp(request, visitorOf(perform, caller, refused)),
      },
      metricsRoute(kernel),
      dialecticArchiveRoute(perform),
    ],
    program: PROGRAM,
    pages: openPages(PAGES),
    doors: [webhookDoor(kernel, perform, async () => webhookKey(config.folder))],
    rateLimit: config.rateLimit,
    log: (entry) => {
      if (entry.level === "security") securityLog.append(entry);
      else process.stderr.write(`${JSON.stringify(entry)}\n`);
    },
    listen: {
      host: options.host ?? config.host,
      port: options.port ?? config.port,
      allowRemote: options.allowRemote,
      tls: config.tls && readCertificate(config.folder, config.tls),
      publicOrigin: config.publicOrigin,
      proxies: config.proxies,
    },
    instance: hash("sha256", config.folder, "hex").slice(0, 10),
  });
}

/** The protocol answers refusals in its own way, so they are told here. */
function visitorOf(
  perform: Perform,
  caller: Caller,
  refused: (error: unknown) => void,
): McpVisitor {
  return {
    may: (permission) => isAllowed(caller, permission),
    invoke: async (name, input, options) => {
      try {
        return await perform(name, caller, input, options);
      } catch (error) {
        refused(error);
        throw error;
      }
    },
  };
}
