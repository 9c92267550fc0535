/** Operations in the process that owns the workspace, over loopback HTTP with a token. */

import { type IncomingMessage, request as startRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorKind, ProductError } from "../../kernel/base/errors.ts";
import type { EventSelection } from "../../kernel/operation/follow-events.ts";
import type { Progress } from "../../kernel/operation/operation.ts";
import type { Event } from "../../kernel/store/events.ts";
import type { CallOptions, OperationClient } from "./operation-client.ts";
import { readSentEvents } from "./read-sent-events.ts";

export interface HttpAddress {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly token: string;
}

export function createHttpClient(address: HttpAddress): OperationClient {
  return {
    invoke: (name, input, options) => invokeOverHttp(address, name, input, options),
    events: (selection, signal) => eventsOverHttp(address, selection, signal),
    close: async () => undefined,
  };
}

const TRIES = 3;
const RETRY_MS = 200;

async function invokeOverHttp(
  address: HttpAddress,
  name: string,
  input: unknown,
  { signal, report, idempotencyKey }: CallOptions,
): Promise<unknown> {
  const call = {
    method: "POST",
    path: `/api/v1/${name.replace(".", "/")}`,
    body: JSON.stringify(input ?? {}),
    signal,
    headers: {
      ...(report === undefined ? {} : { accept: "text/event-stream" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
  };
  // With a key the change happens once however often it is sent; without one it must not be sent again.
  for (let tried = 1; ; tried += 1) {
    try {
      return await readAnswer(await send(address, call), report);
    } catch (error) {
      const isBroken = error instanceof ProductError && error.code === "connection_broken";
      if (!isBroken || idempotencyKey === undefined || tried >= TRIES || signal.aborted)
        throw error;
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

async function readAnswer(
  response: IncomingMessage,
  report: ((progress: Progress) => void) | undefined,
): Promise<unknown> {
  if (!isEventStream(response)) {
    const value: unknown = parseAnswer(await readText(response));
    if (response.statusCode === 200) return value;
    throw fromProblem(value);
  }
  for await (const { event, data } of brokenAsError(readSentEvents(response))) {
    if (event === "progress") report?.(data as Progress);
    if (event === "problem") throw fromProblem(data);
    if (event === "result") return data;
  }
  throw connectionBroken(undefined);
}

/** How long a server may be away, e.g. while it restarts, before following gives up. */
const AWAY_MS = 15_000;

async function* eventsOverHttp(
  address: HttpAddress,
  selection: EventSelection,
  signal: AbortSignal,
): AsyncGenerator<Event, void> {
  let { after } = selection;
  let seenAt: number | undefined;
  while (!signal.aborted) {
    try {
      const response = await send(address, {
        method: "GET",
        path: `/api/v1/events?${eventQuery({ ...selection, after })}`,
        headers: {},
        signal,
      });
      if (!isEventStream(response)) throw fromProblem(parseAnswer(await readText(response)));
      for await (const { id, data } of brokenAsError(readSentEvents(response))) {
        seenAt = performance.now();
        after = id ?? after;
        if (data !== undefined) yield data as Event;
      }
    } catch (error) {
      if (signal.aborted) return;
      // The cursor lets us go on where we were, once it is back.
      const isAway = seenAt !== undefined && performance.now() - seenAt < AWAY_MS;
      if (!isAway || !isDisconnected(error)) throw error;
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function eventQuery({ after, streams, topics }: EventSelection): string {
  return new URLSearchParams({
    ...(after === undefined ? {} : { after }),
    ...(streams === undefined ? {} : { streams: streams.join(",") }),
    ...(topics === undefined ? {} : { topics: topics.join(",") }),
  }).toString();
}

function isDisconnected(error: unknown): boolean {
  return (
    error instanceof ProductError &&
    (error.code === "connection_broken" || error.code === "daemon_unreachable")
  );
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

function send(
  { url, token }: HttpAddress,
  { method, path, body, headers, signal }: Call,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = startRequest(
      new URL(path, url),
      {
        method,
        signal,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
          ...headers,
        },
      },
      resolve,
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(error);
      reject(error.code === "ECONNREFUSED" ? unreachable(url, error) : connectionBroken(error));
    });
    sent.end(body);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of brokenAsError(response)) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString();
}

async function* brokenAsError<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void> {
  try {
    yield* source;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ECONNRESET" || code === "EPIPE" ? connectionBroken(error) : error;
  }
}

function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") ?? false;
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface ProblemAnswer {
  readonly code?: string;
  readonly detail?: string;
  readonly kind?: ErrorKind;
  readonly hint?: string;
  readonly errors?: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId?: string;
}

/** A failure over there is the same failure here: same code, same kind, same hint. */
function fromProblem(value: unknown): ProductError {
  const { code, detail, kind, hint, errors, details, requestId } = (value ?? {}) as ProblemAnswer;
  if (code === undefined || detail === undefined) {
    return new ProductError(
      "answer_not_understood",
      "What answered is not this program's server.",
      {
        kind: "unavailable",
        hint: "Look whether another program uses its port; restarting the server writes a fresh address.",
      },
    );
  }
  return new ProductError(code, detail, {
    kind: kind ?? "internal",
    details: {
      ...details,
      ...(errors === undefined ? {} : { errors }),
      ...(requestId === undefined ? {} : { requestId }),
    },
    ...(hint === undefined ? {} : { hint }),
  });
}

function unreachable(url: string, cause: unknown): ProductError {
  return new ProductError("daemon_unreachable", `Nothing answers at ${url}.`, {
    kind: "unavailable",
    hint: "It was stopped or crashed; `start` starts it again.",
    cause,
  });
}

function connectionBroken(cause: unknown): ProductError {
  return new ProductError(
    "connection_broken",
    "The connection broke before the answer was there.",
    {
      kind: "unavailable",
      hint: "Look whether it took effect before trying again.",
      cause,
    },
  );
}
