/** `start` and `serve`: the workspace, its engine and its server in one process, until told to stop. */

import { hash } from "node:crypto";
import { issueToken } from "../kernel/operation/issue-token.ts";
import type { Kernel } from "../kernel/operation/kernel.ts";
import { createOperationRegistry } from "../kernel/operation/operation-registry.ts";
import { createLoginCode } from "../kernel/operation/start-login.ts";
import { removeDaemonAddress, writeDaemonAddress } from "../surfaces/cli/daemon-address.ts";
import { type HttpServer, startHttpServer } from "../surfaces/http/http-server.ts";
import { findAdmin } from "./first-user.ts";
import { keepUp } from "./keep-up.ts";
import { listOperations, NOUNS } from "./methods.ts";
import { openWorkspace, type Workspace } from "./open-workspace.ts";
import { PROGRAM } from "./program.ts";
import { type RunningEngine, runEngineHere, runEngineInThread } from "./run-engine.ts";
import { lockOrRefuse } from "./workspace-lock.ts";

export interface ServeOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly allowRemote?: boolean | undefined;
}

export interface Serving {
  readonly url: string;
  /** The address that lets its first visitor in, once, within ten minutes. */
  readonly loginUrl: string;
  stop(): Promise<void>;
}

const A_YEAR_MS = 365 * 24 * 60 * 60_000;

export async function serve(folder: string, options: ServeOptions = {}): Promise<Serving> {
  const lock = lockOrRefuse(folder);
  const workspace = await openWorkspace(folder);
  const { kernel } = workspace;
  const admin = await findAdmin(kernel);
  const engine = await startEngineOf(workspace);
  workspace.onWake(() => engine.wake());
  const server = await listen(workspace, options);
  const { text: token } = await issueToken(kernel, {
    userId: admin.id,
    name: "command line of the running server",
    expiresAt: kernel.clock.now() + A_YEAR_MS,
    actor: admin.id,
  });
  await writeDaemonAddress(folder, { url: server.url, token, processId: process.pid });
  const upkeep = keepUp(workspace);
  return {
    url: server.url,
    loginUrl: await loginUrl(kernel, server.url, admin.id),
    stop: async () => {
      await removeDaemonAddress(folder);
      await upkeep.stop();
      await server.close();
      await engine.stop();
      await workspace.close();
      lock.release();
    },
  };
}

export async function loginUrl(kernel: Kernel, url: string, userId: string): Promise<string> {
  return `${url}/#code=${await createLoginCode(kernel, { userId, actor: userId })}`;
}

function startEngineOf(workspace: Workspace): Promise<RunningEngine> {
  const { kernel, config, changes } = workspace;
  const onCommit = () => changes.notify();
  return config.database === undefined
    ? runEngineInThread(config.folder, onCommit)
    : runEngineHere(kernel, config, onCommit);
}

function listen({ kernel, config }: Workspace, options: ServeOptions): Promise<HttpServer> {
  return startHttpServer({
    kernel,
    registry: createOperationRegistry(
      listOperations(() => config.folder),
      NOUNS,
    ),
    program: PROGRAM,
    log: (entry) => {
      if (entry.level === "error") process.stderr.write(`${JSON.stringify(entry)}\n`);
    },
    listen: {
      host: options.host ?? config.host,
      port: options.port ?? config.port,
      allowRemote: options.allowRemote,
    },
    instance: hash("sha256", config.folder, "hex").slice(0, 10),
  });
}
