/**
 * Everything the server answers, once the guard has let a request in. Whatever is under `/api/` needs a
 * caller, except the ways to sign in; all failures leave as problems, all answers with the same headers.
 */

import { Hono } from "hono";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Authenticated } from "../../kernel/operation/authenticate.ts";
import {
  describeCommand,
  listCommand,
  operationsUnder,
} from "../../kernel/operation/command-description.ts";
import type { SignedDoor } from "../../kernel/operation/signed-door.ts";
import { runSql } from "../../kernel/store/database-work.ts";
import { sqlText } from "../../kernel/store/sql-text.ts";
import { addDoorRoutes } from "./door-routes.ts";
import { openEventStream } from "./event-stream.ts";
import {
  type HttpContext,
  type HttpEnv,
  type HttpSurface,
  logFailure,
  logSecurity,
} from "./http-context.ts";
import { addLoginRoutes, OPEN_LOGIN_PATHS } from "./login-routes.ts";
import { openapiDocument, type ProgramInfo } from "./openapi.ts";
import { answerOperation, operationPath } from "./operation-routes.ts";
import { namesFile, type PageFile, type Pages } from "./page-files.ts";
import { PROBLEM_TYPE, toProblem } from "./problem.ts";
import { openReplyStream } from "./reply-stream.ts";
import { authenticateRequest } from "./request-credentials.ts";
import { securityHeaders } from "./security-headers.ts";
import { refusalEvent } from "./security-log.ts";
import { createStreamDoor } from "./stream-door.ts";
import { addUploadRoutes } from "./uploads.ts";

/** Something else under the same guard and the same callers, e.g. another protocol's endpoint. */
export interface ExtraRoute {
  readonly path: string;
  /** What is refused in another way than by an error of the answer is told to `refused`, so that it is on record. */
  readonly handle: (
    request: Request,
    who: Authenticated,
    refused: (error: unknown) => void,
  ) => Promise<Response>;
}

export interface HttpAppOptions {
  readonly surface: HttpSurface;
  readonly program: ProgramInfo;
  readonly pages: Pages;
  readonly extraRoutes?: readonly ExtraRoute[] | undefined;
  readonly doors?: readonly SignedDoor[] | undefined;
}

export function createHttpApp(options: HttpAppOptions): Hono<HttpEnv> {
  const { surface, extraRoutes = [], doors = [] } = options;
  const app = new Hono<HttpEnv>();
  app.use(async (context, next) => {
    context.set("requestId", surface.kernel.ids.next());
    await next();
    addHeaders(options, context);
  });
  app.use("/api/*", async (context, next) => {
    if (!OPEN_LOGIN_PATHS.has(context.req.path)) await admit(surface, context);
    await next();
  });
  addStateRoutes(app, options);
  addLoginRoutes(app, surface);
  addUploadRoutes(app, surface);
  addDoorRoutes(app, surface, doors);
  addOperationRoutes(app, options);
  for (const { path, handle } of extraRoutes) {
    app.all(path, async (context) => {
      await admit(surface, context);
      const refused = (error: unknown) => logRefusal(surface, context, error);
      return handle(context.req.raw, context.get("who"), refused);
    });
  }
  addPages(app, options);
  app.notFound((context) => answerProblem(surface, context, noSuchAddress(context.req.path)));
  app.onError((error, context) => answerProblem(surface, context, error));
  return app;
}

/** Who it is, and whether they ask too often. */
async function admit(surface: HttpSurface, context: HttpContext): Promise<void> {
  const who = await authenticateRequest(surface, context);
  surface.rateLimit.take(`${who.credential.kind} ${who.credential.id}`);
  context.set("who", who);
}

function addStateRoutes(app: Hono<HttpEnv>, { surface, program }: HttpAppOptions): void {
  const { store } = surface.kernel;
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.get("/readyz", async (context) => {
    await store.read(() => runSql(sqlText("select 1 as ready"), []));
    return context.json({ status: "ready" });
  });
  app.get("/version", (context) => context.json(program));
}

function addOperationRoutes(app: Hono<HttpEnv>, { surface, program }: HttpAppOptions): void {
  const { registry } = surface;
  // Describing every operation takes as long as starting the rest of the server.
  let description: object | undefined;
  app.get("/api/openapi.json", (context) => {
    description ??= openapiDocument(registry, program);
    return context.json(description);
  });
  const listed = registry.operations.map((operation) => listCommand(operation));
  app.get("/api/v1/commands", (context) => context.json({ commands: listed }));
  app.get("/api/v1/commands/:word", (context) => {
    const found = operationsUnder(context.req.param("word"), registry.operations);
    return context.json({ commands: found.map((operation) => describeCommand(operation)) });
  });
  const door = createStreamDoor(surface);
  app.get("/api/v1/events", (context) => openEventStream(surface, door, context));
  app.get("/api/v1/replies", (context) => openReplyStream(surface, door, context));
  for (const operation of registry.operations) {
    if (/^(commands|events|replies|uploads)\./.test(operation.name))
      throw addressTaken(operationPath(operation));
    const alias = operation.surfaces?.http?.alias;
    if (alias === undefined) continue;
    if (!alias.path.startsWith("/api/")) throw addressTaken(alias.path);
    app.on(alias.method, alias.path, (context) => answerOperation(surface, context, operation));
  }
  app.on(["GET", "POST"], "/api/v1/:noun/:verb", (context) => {
    const { noun, verb } = context.req.param();
    return answerOperation(surface, context, registry.get(`${noun}.${verb}`));
  });
}

/** Addresses within the workspace are the page's own to read: a browser that asks for one gets the page. */
function addPages(app: Hono<HttpEnv>, { pages }: HttpAppOptions): void {
  app.get("*", (context) => {
    const { path } = context.req;
    const isDocument = context.req.header("accept")?.includes("text/html") ?? false;
    const isPlace = isDocument && !path.startsWith("/api/") && !namesFile(path);
    const file = pages.find(path) ?? (isPlace ? pages.find("/") : undefined);
    if (file === undefined) throw noSuchAddress(path);
    return answerFile(context, file);
  });
}

function answerFile(context: HttpContext, file: PageFile): Response {
  const { body, packed, type, etag, isLasting } = file;
  context.set("page", isLasting ? "asset" : "page");
  context.header("etag", etag);
  context.header("vary", "accept, accept-encoding");
  if (context.req.header("if-none-match") === etag) return context.body(null, 304);
  const unpacks = /\bgzip\b/.test(context.req.header("accept-encoding") ?? "");
  if (packed === undefined || !unpacks) return context.body(body, 200, { "content-type": type });
  return context.body(packed(), 200, { "content-type": type, "content-encoding": "gzip" });
}

/** Also on a 304: a browser replaces a page's stored headers with those. */
function addHeaders({ surface }: HttpAppOptions, context: HttpContext): void {
  const kind = context.get("page") ?? "data";
  const headers = securityHeaders({ kind, scheme: surface.scheme });
  for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value);
  context.res.headers.set("x-request-id", context.get("requestId"));
}

function answerProblem(surface: HttpSurface, context: HttpContext, error: Error): Response {
  const requestId = context.get("requestId");
  const problem = toProblem(error, requestId);
  if (problem.status >= 500) logFailure(surface, "request.failed", requestId, error);
  logRefusal(surface, context, error);
  if (problem.status === 401) context.header("www-authenticate", 'Bearer realm="api"');
  const { retryAfterSeconds } = problem.details ?? {};
  if (typeof retryAfterSeconds === "number")
    context.header("retry-after", String(retryAfterSeconds));
  // A body still on its way would be taken for the next request.
  if (!context.env.incoming.complete) context.header("connection", "close");
  return context.body(JSON.stringify(problem), problem.status as 400, {
    "content-type": PROBLEM_TYPE,
  });
}

function logRefusal(surface: HttpSurface, context: HttpContext, error: unknown): void {
  const isLogin = OPEN_LOGIN_PATHS.has(context.req.path);
  const isKnown = context.get("who") !== undefined;
  const event = refusalEvent(error, { isLogin, isKnown });
  if (event !== undefined)
    logSecurity(surface, context, event, { code: (error as ProductError).code });
}

function noSuchAddress(path: string): ProductError {
  return new ProductError("address_not_found", `There is nothing at ${path.slice(0, 200)}.`, {
    kind: "not_found",
    hint: "/api/openapi.json lists what there is.",
  });
}

function addressTaken(address: string): ProductError {
  return new ProductError("address_taken", `An operation may not be at ${address}.`, {
    kind: "internal",
  });
}
