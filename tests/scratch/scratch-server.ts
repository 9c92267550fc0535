/** A real server on a free port over a scratch workspace, with sample operations and a way to sign in. */

import type { Permission, Role } from "../../src/kernel/operation/caller.ts";
import { issueToken } from "../../src/kernel/operation/issue-token.ts";
import type { Kernel } from "../../src/kernel/operation/kernel.ts";
import type { OperationRegistry } from "../../src/kernel/operation/operation-registry.ts";
import type { SignedDoor } from "../../src/kernel/operation/signed-door.ts";
import { createLoginCode } from "../../src/kernel/operation/start-login.ts";
import type { ExtraRoute } from "../../src/surfaces/http/http-app.ts";
import type { HttpLogEntry } from "../../src/surfaces/http/http-context.ts";
import { startHttpServer } from "../../src/surfaces/http/http-server.ts";
import type { RateLimitOptions } from "../../src/surfaces/http/rate-limit.ts";
import { sampleWorld } from "./sample-operations.ts";
import { type ScratchKernelOptions, scratchKernel } from "./scratch-kernel.ts";

export interface ScratchLogin {
  readonly cookie: string;
  readonly secret: string;
}

export interface ScratchServer {
  readonly url: string;
  readonly port: number;
  readonly kernel: Kernel;
  readonly logged: readonly HttpLogEntry[];
  readonly effects: () => number;
  token(role: Role, scopes?: readonly Permission[]): Promise<string>;
  login(role: Role): Promise<ScratchLogin>;
  /** Calls with a bearer token. */
  fetch(path: string, init?: RequestInit & { token?: string }): Promise<Response>;
  close(): Promise<void>;
}

export interface ScratchServerOptions {
  readonly extraRoutes?: readonly ExtraRoute[];
  readonly doors?: (kernel: Kernel, registry: OperationRegistry) => readonly SignedDoor[];
  readonly rateLimit?: RateLimitOptions;
  readonly proxies?: readonly string[];
  /** Operations of a method under test instead of the samples. */
  readonly registry?: OperationRegistry;
  readonly workspace?: ScratchKernelOptions;
}

export async function scratchServer({
  registry: given,
  workspace,
  doors,
  proxies,
  ...options
}: ScratchServerOptions = {}): Promise<ScratchServer> {
  const kernel = await scratchKernel(workspace);
  const sample = sampleWorld();
  const { effects } = sample;
  const registry = given ?? sample.registry;
  const logged: HttpLogEntry[] = [];
  const server = await startHttpServer({
    kernel,
    registry,
    program: { name: "Sample", version: "1.2.3" },
    log: (entry) => logged.push(entry),
    listen: { host: "127.0.0.1", port: 0, proxies },
    instance: "test",
    doors: doors?.(kernel, registry),
    ...options,
  });
  const token = async (role: Role, scopes?: readonly Permission[]) => {
    const { text } = await issueToken(kernel, {
      userId: role,
      name: "test",
      scopes,
      actor: "test",
    });
    return text;
  };
  const operator = await token("operator");
  return {
    url: server.url,
    port: server.port,
    kernel,
    logged,
    effects,
    token,
    async login(role) {
      const code = await createLoginCode(kernel, { userId: role, actor: "test" });
      const response = await fetch(`${server.url}/api/v1/login/exchange`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: server.url, "x-app": "1" },
        body: JSON.stringify({ code }),
      });
      const { secret } = (await response.json()) as { secret: string };
      const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      return { cookie, secret };
    },
    fetch: (path, { token: given = operator, ...init } = {}) =>
      fetch(server.url + path, {
        ...init,
        headers: {
          authorization: `Bearer ${given}`,
          ...(init.body === undefined ? {} : { "content-type": "application/json" }),
          ...(init.headers as Record<string, string>),
        },
      }),
    close: async () => {
      await server.close();
      await kernel.remove();
    },
  };
}
