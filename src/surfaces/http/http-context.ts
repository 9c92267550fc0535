/** What handlers of this surface share: the workspace, the operations, and who asks. */

import { inspect } from "node:util";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Authenticated } from "../../kernel/operation/authenticate.ts";
import type { Perform } from "../../kernel/operation/invoke.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import type { OperationRegistry } from "../../kernel/operation/operation-registry.ts";
import type { Throttle } from "../../kernel/operation/throttle.ts";
import type { Proxies } from "./client-address.ts";
import type { RateLimit } from "./rate-limit.ts";
import { type SecurityEntry, type SecurityEvent, securityEntry } from "./security-log.ts";

export interface HttpSurface {
  readonly kernel: Kernel;
  readonly registry: OperationRegistry;
  readonly perform: Perform;
  readonly throttle: Throttle;
  readonly rateLimit: RateLimit;
  /** Aborts when the server stops, so that endless answers end. */
  readonly stopping: AbortSignal;
  readonly scheme: "http" | "https";
  /** The login cookie's names, the one preferred first. */
  readonly cookieNames: readonly string[];
  readonly proxies: Proxies;
  readonly log: HttpLog;
}

/** One line of JSON. */
export interface FailureEntry {
  readonly level: "error";
  readonly event: string;
  readonly requestId: string;
  /** The failure with its stack and causes. */
  readonly error: string;
}
export type HttpLogEntry = FailureEntry | SecurityEntry;
export type HttpLog = (entry: HttpLogEntry) => void;

export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: { requestId: string; who: Authenticated; page: "page" | "asset" | undefined };
}
export type HttpContext = Context<HttpEnv>;

/** Who it is goes along where it is known. */
export function logSecurity(
  { kernel, proxies, log }: HttpSurface,
  context: HttpContext,
  event: SecurityEvent,
  more: { readonly who?: Authenticated; readonly way?: string; readonly code?: string } = {},
): void {
  const { incoming } = context.env;
  const requestId = context.get("requestId");
  const facts = { now: kernel.clock.now(), requestId, incoming, proxies };
  log(securityEntry(event, facts, { who: context.get("who"), ...more }));
}

export function logFailure(
  { log }: HttpSurface,
  event: string,
  requestId: string,
  error: unknown,
): void {
  log({ level: "error", event, requestId, error: inspect(error) });
}
