/** The listening server: the guard first, then the app; limits on time, size and number of everything. */

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { inspect } from "node:util";
import { getRequestListener } from "@hono/node-server";
import { ProductError } from "../../kernel/base/errors.ts";
import { invoke, type Perform } from "../../kernel/operation/invoke.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import type { OperationRegistry } from "../../kernel/operation/operation-registry.ts";
import type { SignedDoor } from "../../kernel/operation/signed-door.ts";
import { hasPasswordUser } from "../../kernel/operation/start-login.ts";
import { createThrottle } from "../../kernel/operation/throttle.ts";
import { allowedOrigins, checkBind, isLoopback } from "./bind-address.ts";
import { createHttpApp, type ExtraRoute } from "./http-app.ts";
import type { HttpLog } from "./http-context.ts";
import type { ProgramInfo } from "./openapi.ts";
import { NO_PAGES, type Pages } from "./page-files.ts";
import { PROBLEM_TYPE, toRefusalProblem } from "./problem.ts";
import { createRateLimit, type RateLimitOptions } from "./rate-limit.ts";
import { loginCookieNames } from "./request-credentials.ts";
import {
  checkRequest,
  type GuardPolicy,
  type Refusal,
  type RequestFacts,
} from "./request-guard.ts";
import { securityHeaders } from "./security-headers.ts";
import { securityEntry } from "./security-log.ts";
import { TLS_SETTINGS } from "./tls-settings.ts";

export interface HttpServerOptions {
  readonly kernel: Kernel;
  readonly registry: OperationRegistry;
  /** Where operations are carried out; here unless given. */
  readonly perform?: Perform | undefined;
  readonly program: ProgramInfo;
  readonly log: HttpLog;
  readonly listen: ListenOptions;
  /** A short word of letters and digits that no other workspace on this machine has; names the cookie. */
  readonly instance: string;
  readonly pages?: Pages | undefined;
  /** How often one token or login may ask; as often as it likes unless given. */
  readonly rateLimit?: RateLimitOptions | undefined;
  readonly extraRoutes?: readonly ExtraRoute[] | undefined;
  /** Where programs without a token send what they have signed. */
  readonly doors?: readonly SignedDoor[] | undefined;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any; another one that is taken leads to the next free one. */
  readonly port: number;
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  readonly allowRemote?: boolean | undefined;
  readonly publicOrigin?: string | undefined;
  /** Addresses of proxies that say truly whom they speak for. */
  readonly proxies?: readonly string[] | undefined;
}

export interface HttpServer {
  readonly port: number;
  /** Where people and programs on this machine reach it. */
  readonly url: string;
  close(): Promise<void>;
}

const PORTS_TRIED = 20;
const NO_RATE_LIMIT: RateLimitOptions = { perSecond: 0, burst: 1 };
const CLOSE_MS = 2000;

export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { kernel, listen } = options;
  const bind = {
    host: listen.host,
    hasTls: listen.tls !== undefined,
    allowRemote: listen.allowRemote ?? false,
    publicOrigin: listen.publicOrigin,
    hasUsers: await kernel.store.read(hasPasswordUser),
  };
  checkBind(bind);
  const stopping = new AbortController();
  const doors = new Map((options.doors ?? []).map(({ prefix, maxBytes }) => [prefix, maxBytes]));
  const cookieNames = cookieNamesOf(options);
  let policy: GuardPolicy = { origins: new Map(), cookieNames, doors };
  const server = createServer(options, stopping.signal, () => policy);
  const port = await listenSomewhere(server, listen);
  policy = { origins: allowedOrigins(bind, port), cookieNames, doors };
  const scheme = schemeOf(options);
  const name = listen.host.includes(":") ? `[${listen.host}]` : listen.host;
  return {
    port,
    url: listen.publicOrigin ?? `${scheme}://${name}:${port}`,
    close: () => closeServer(server, stopping),
  };
}

function performHere({ kernel, registry }: HttpServerOptions): Perform {
  return (name, caller, input, options) => invoke(kernel, registry, name, caller, input, options);
}

function createServer(
  options: HttpServerOptions,
  stopping: AbortSignal,
  policy: () => GuardPolicy,
): Server {
  const { kernel, registry, program, log, extraRoutes, doors, listen } = options;
  const scheme = schemeOf(options);
  const surface = {
    kernel,
    registry,
    perform: options.perform ?? performHere(options),
    throttle: createThrottle(kernel.clock),
    rateLimit: createRateLimit(kernel.clock, options.rateLimit ?? NO_RATE_LIMIT),
    stopping,
    scheme,
    cookieNames: cookieNamesOf(options),
    proxies: new Set(listen.proxies),
    log,
  };
  const { pages = NO_PAGES } = options;
  const app = createHttpApp({ surface, program, pages, extraRoutes, doors });
  const serve = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  /** Whatever goes wrong in it costs one request, not the server. */
  const guard = (incoming: IncomingMessage): Refusal | undefined => {
    try {
      return checkRequest(factsOf(incoming), policy());
    } catch (error) {
      const requestId = kernel.ids.next();
      log({ level: "error", event: "guard.failed", requestId, error: inspect(error) });
      return { status: 500, code: "unexpected", message: "Something went wrong here." };
    }
  };
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const refusal = guard(incoming);
    if (refusal === undefined) return void serve(incoming, outgoing);
    const requestId = kernel.ids.next();
    const { proxies } = surface;
    const facts = { now: kernel.clock.now(), requestId, incoming, proxies };
    log(securityEntry("request.refused", facts, { code: refusal.code }));
    refuse(outgoing, refusal, { requestId, scheme });
  };
  const limits = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 5000,
    connectionsCheckingInterval: 2000,
  };
  const server =
    listen.tls === undefined
      ? createHttpServer(limits, onRequest)
      : createHttpsServer({ ...limits, ...listen.tls, ...TLS_SETTINGS }, onRequest);
  server.maxHeadersCount = 100;
  server.maxConnections = 512;
  server.on("clientError", (error, socket: Socket) =>
    answerGarbage(error, socket, { requestId: kernel.ids.next(), scheme }),
  );
  return server;
}

function factsOf(incoming: IncomingMessage): RequestFacts {
  const headers = new Map<string, string[]>();
  const { rawHeaders } = incoming;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    const value = rawHeaders[at + 1] ?? "";
    const known = headers.get(name);
    if (known === undefined) headers.set(name, [value]);
    else known.push(value);
  }
  return { method: incoming.method ?? "", target: incoming.url ?? "", headers };
}

interface AnswerFacts {
  readonly requestId: string;
  readonly scheme: "http" | "https";
}

function refuse(
  outgoing: ServerResponse,
  refusal: Refusal,
  { requestId, scheme }: AnswerFacts,
): void {
  const body = JSON.stringify(toRefusalProblem(refusal, requestId));
  outgoing.writeHead(refusal.status, {
    ...securityHeaders({ kind: "data", scheme }),
    "content-type": PROBLEM_TYPE,
    "content-length": Buffer.byteLength(body),
    "x-request-id": requestId,
    // Whatever body was sent stays unread.
    connection: "close",
  });
  outgoing.end(body);
}

/** What was sent is not HTTP, is too large or came too slowly; there is no request to answer by the usual way. */
function answerGarbage(error: Error, socket: Socket, { requestId, scheme }: AnswerFacts): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const refusal = garbageRefusal(code);
  const body = JSON.stringify(toRefusalProblem(refusal, requestId));
  const headers = {
    ...securityHeaders({ kind: "data", scheme }),
    "content-type": PROBLEM_TYPE,
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${refusal.status} Refused\r\n${lines.join("")}\r\n${body}`);
}

function garbageRefusal(code: string | undefined): Refusal {
  if (code === "HPE_HEADER_OVERFLOW")
    return {
      status: 431,
      code: "headers_too_large",
      message: "The request's headers are too large.",
    };
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return {
      status: 408,
      code: "request_too_slow",
      message: "The request took too long to arrive.",
    };
  return {
    status: 400,
    code: "request_malformed",
    message: "This is not a request we understand.",
  };
}

async function listenSomewhere(server: Server, { host, port }: ListenOptions): Promise<number> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await listenAt(server, host, port === 0 ? 0 : port + tried);
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!isTaken) throw cannotListen(host, port, error);
      if (tried + 1 >= PORTS_TRIED || port + tried >= 65_535) throw noFreePort(port, tried, error);
    }
  }
}

function listenAt(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Endless answers are told to end, running requests get a moment, the rest is cut. */
async function closeServer(server: Server, stopping: AbortController): Promise<void> {
  stopping.abort();
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A connection becomes idle when its answer ends, which may be later than now.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

function schemeOf({ listen }: HttpServerOptions): "http" | "https" {
  const isSecure = listen.tls !== undefined || listen.publicOrigin?.startsWith("https:");
  return isSecure ? "https" : "http";
}

function cookieNamesOf(options: HttpServerOptions): readonly string[] {
  const { host, publicOrigin } = options.listen;
  const isHere = isLoopback(host) && publicOrigin === undefined;
  return loginCookieNames(options.instance, {
    isPlainHere: isHere && schemeOf(options) === "http",
  });
}

function cannotListen(host: string, port: number, cause: unknown): ProductError {
  return new ProductError("listen_failed", `The server cannot listen at ${host}, port ${port}.`, {
    kind: "unavailable",
    hint: "Check the address, and whether ports below 1024 are allowed to you.",
    cause,
  });
}

function noFreePort(port: number, tried: number, cause: unknown): ProductError {
  return new ProductError("ports_taken", `The ports ${port} to ${port + tried} are all taken.`, {
    kind: "unavailable",
    hint: "Give another port, or 0 for any.",
    cause,
  });
}
