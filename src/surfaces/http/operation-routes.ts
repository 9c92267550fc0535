/**
 * Operations over HTTP. The rule: `noun.verb` is `POST /api/v1/noun/verb` with the input as a JSON object;
 * one that only reads also answers `GET /api/v1/noun/verb` with the input as query parameters (a list as a
 * repeated parameter, nested values as JSON). An alias is a second address with the same behaviour.
 *
 * `Idempotency-Key` makes a change happen once, `If-Match` fills the input `expectedVersion`, an output with
 * a `version` carries it as ETag, and `Accept: text/event-stream` asks for progress before the result.
 * `X-View: terminal` asks for an `OperationAnswer`, with the output as a terminal shows it beside it.
 */

import { ProductError } from "../../kernel/base/errors.ts";
import { readFieldText } from "../../kernel/operation/input-field.ts";
import { inputFields } from "../../kernel/operation/input-fields.ts";
import { inputInvalid, toPointer } from "../../kernel/operation/input-problems.ts";
import type { Operation, Progress } from "../../kernel/operation/operation.ts";
import { toAnswer } from "../../kernel/operation/operation-answer.ts";
import { type HttpContext, type HttpSurface, logFailure } from "./http-context.ts";
import { toProblem } from "./problem.ts";
import { startProgressStream } from "./progress-stream.ts";
import { readJsonBody } from "./read-json-body.ts";
import { EVENT_STREAM, sentEventStream } from "./server-sent-events.ts";
import { HEARTBEAT_MS } from "./stream-door.ts";

export function operationPath({ name }: Pick<Operation, "name">): string {
  return `/api/v1/${name.replace(".", "/")}`;
}

/** How soon a refusal still gets its proper status when progress was asked for. */
const QUICK_MS = 200;

export async function answerOperation(
  surface: HttpSurface,
  context: HttpContext,
  operation: Operation,
): Promise<Response> {
  const { method } = context.req;
  if (method !== "POST" && operation.effect !== "reads") return wrongMethod(context, operation);
  const input = withExpectedVersion(
    operation,
    method === "POST" ? await readJsonBody(context.req.raw) : readQuery(context, operation),
    context.req.header("if-match"),
  );
  const wantsView = context.req.header("x-view") === "terminal";
  const call = async (report?: (progress: Progress) => void) => {
    const output = await invokeHere(surface, context, operation, input, report);
    return wantsView ? toAnswer(operation, output) : output;
  };
  const wantsProgress = context.req.header("accept")?.includes(EVENT_STREAM) ?? false;
  if (wantsProgress) return answerWithProgress(surface, context, call);
  return answer(context, await call());
}

async function invokeHere(
  { perform, stopping }: HttpSurface,
  context: HttpContext,
  operation: Operation,
  input: unknown,
  report: ((progress: Progress) => void) | undefined,
): Promise<unknown> {
  const idempotencyKey = context.req.header("idempotency-key");
  // A request with a key is finished even when its caller has gone: they will ask again.
  const signal =
    idempotencyKey === undefined ? AbortSignal.any([context.req.raw.signal, stopping]) : stopping;
  const { caller } = context.get("who");
  try {
    return await perform(operation.name, caller, input, {
      signal,
      report,
      idempotencyKey,
    });
  } catch (error) {
    const isStale = error instanceof ProductError && error.code === "version_conflict";
    if (isStale && context.req.header("if-match") !== undefined) throw preconditionFailed(error);
    throw error;
  }
}

function answer(context: HttpContext, output: unknown): Response {
  const version = versionOf(output);
  if (version === undefined) return context.json(output ?? null);
  const etag = `"${version}"`;
  context.header("etag", etag);
  const isKnown = context.req.method === "GET" && context.req.header("if-none-match") === etag;
  return isKnown ? context.body(null, 304) : context.json(output);
}

async function answerWithProgress(
  surface: HttpSurface,
  context: HttpContext,
  call: (report: (progress: Progress) => void) => Promise<unknown>,
): Promise<Response> {
  const stream = startProgressStream(surface.kernel.clock, call);
  const quick = await stream.settleWithin(QUICK_MS);
  if (quick !== undefined && "error" in quick) throw quick.error;
  const requestId = context.get("requestId");
  const events = stream.events({
    heartbeatMs: HEARTBEAT_MS,
    toProblem: (error) => {
      if (!(error instanceof ProductError))
        logFailure(surface, "operation.failed", requestId, error);
      return toProblem(error, requestId);
    },
  });
  return new Response(
    sentEventStream(events, () => undefined),
    {
      headers: { "content-type": `${EVENT_STREAM}; charset=utf-8`, "x-accel-buffering": "no" },
    },
  );
}

/** Parameters nobody knows go along: the schema refuses them by name. */
function readQuery(context: HttpContext, operation: Operation): Record<string, unknown> {
  const fields = new Map(inputFields(operation.input).map((field) => [field.name, field]));
  const given = Object.entries(context.req.queries());
  return Object.fromEntries(
    given.map(([name, texts]) => {
      const field = fields.get(name);
      if (field?.isList) return [name, readList(field, texts)];
      const [text = "", another] = texts;
      if (another !== undefined)
        throw inputInvalid([{ pointer: toPointer([name]), message: "is given twice" }]);
      return [name, field === undefined ? text : readFieldText(field, text)];
    }),
  );
}

type InputFieldOf = ReturnType<typeof inputFields>[number];

function readList(field: InputFieldOf, texts: readonly string[]): unknown {
  const [only = "", another] = texts;
  if (another === undefined && only.startsWith("["))
    return readFieldText({ ...field, kind: "json" }, only);
  return texts.map((text) => readFieldText(field, text));
}

function withExpectedVersion(
  operation: Operation,
  input: unknown,
  ifMatch: string | undefined,
): unknown {
  if (ifMatch === undefined) return input;
  const version = /^"(\d{1,15})"$/.exec(ifMatch)?.[1];
  if (version === undefined)
    throw new ProductError(
      "if_match_invalid",
      'If-Match must be one ETag as we gave it, such as "3".',
    );
  if (!inputFields(operation.input).some(({ name }) => name === "expectedVersion"))
    throw new ProductError(
      "if_match_unsupported",
      `"${operation.name}" does not look at versions.`,
      {
        hint: "Leave If-Match out.",
      },
    );
  return { ...(input as object), expectedVersion: Number(version) };
}

function versionOf(output: unknown): number | undefined {
  const version =
    typeof output === "object" && output !== null && "version" in output
      ? output.version
      : undefined;
  return typeof version === "number" ? version : undefined;
}

function preconditionFailed(error: ProductError): ProductError {
  return new ProductError("precondition_failed", error.message, {
    kind: "conflict",
    details: error.details,
    cause: error,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
}

function wrongMethod(context: HttpContext, { name }: Operation): never {
  context.header("allow", "POST");
  throw new ProductError("method_not_allowed", `"${name}" changes things: use POST.`);
}
