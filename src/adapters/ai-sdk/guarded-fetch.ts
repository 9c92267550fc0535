/**
 * The fetch the provider packages use. It counts bytes, watches for stalls, and refuses what the
 * packages would quietly read as an empty reply: a web page, or a body that is not a stream.
 */

import { ModelError } from "../../kernel/model/model-error.ts";
import type { CallLimits } from "./ai-sdk-config.ts";
import type { GuardedCall } from "./guarded-call.ts";
import { type FailureContext, statusFailure } from "./provider-failure.ts";

const LONGEST_ERROR_BODY = 64_000;

export function guardedFetch(
  call: GuardedCall,
  limits: CallLimits,
  context: FailureContext,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await call.awaitBytes(
      // A redirect would carry the key's header to wherever it points.
      fetch(input, { ...init, redirect: "error", dispatcher: patientDispatcher }),
    );
    if (!response.body) return response;
    const body = countedBody(response.body, call, limits, context);
    const { status, statusText, headers } = response;
    const counted = new Response(body, { status, statusText, headers });
    return response.ok && !isEventStream(headers) ? refuse(counted, context) : counted;
  };
}

/** Node's own limits of 300 s for headers and body would beat ours; slow local models need longer. */
const patientDispatcher = {
  dispatch(options: object, handler: object): boolean {
    const shared = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"));
    return shared.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  },
  // fetch asks a dispatcher for nothing but `dispatch`.
} as unknown as NonNullable<RequestInit["dispatcher"]>;

function countedBody(
  body: ReadableStream<Uint8Array>,
  call: GuardedCall,
  limits: CallLimits,
  { provider }: FailureContext,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await call.awaitBytes(reader.read());
      if (done) return controller.close();
      bytes += value.byteLength;
      if (bytes > limits.maxWireBytes) {
        const reason = `${provider} sent more than ${limits.maxWireBytes} bytes.`;
        call.end(new ModelError("too_large", reason));
        throw call.verdict;
      }
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function isEventStream(headers: Headers): boolean {
  const type = headers.get("content-type");
  // Some servers name no type, or a plain one, and stream all the same.
  return type === null || !/^(?:text\/html|application\/(?:problem\+)?json)\b/i.test(type.trim());
}

async function refuse(response: Response, context: FailureContext): Promise<never> {
  const body = await readSome(response);
  const told = errorInside(body);
  if (told) {
    throw statusFailure({ ...told, body, headers: Object.fromEntries(response.headers) }, context);
  }
  const what = /html/i.test(response.headers.get("content-type") ?? "")
    ? "a web page"
    : "one JSON body";
  throw new ModelError(
    "invalid_request",
    `${context.provider} answered with ${what} instead of a stream.`,
    { hint: "Check that the base URL is that of the API, and that the server can stream." },
  );
}

async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_ERROR_BODY) break;
  }
  return text;
}

function errorInside(body: string): { status: number; message: string } | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const error = field(parsed, "error");
  if (error === undefined || error === null) return undefined;
  const code = field(error, "code") ?? field(error, "status");
  const message = typeof error === "string" ? error : field(error, "message");
  return {
    status: typeof code === "number" && code >= 400 && code < 600 ? code : 400,
    message: typeof message === "string" ? message : "an error without words",
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
