/** Operations in the process that owns the workspace, over loopback HTTP with a token. */

import type { ClientRequest, IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorKind, ProductError } from "../../kernel/base/errors.ts";
import type { CommandDescription } from "../../kernel/operation/command-description.ts";
import type { EventSelection } from "../../kernel/operation/follow-events.ts";
import type { Progress } from "../../kernel/operation/operation.ts";
import type { OperationAnswer } from "../../kernel/operation/operation-answer.ts";
import type { Event } from "../../kernel/store/events.ts";
import { ignoreGone, partsOf } from "./file-parts.ts";
import type { CallOptions, OperationClient, SentFile } from "./operation-client.ts";
import { readSentEvents } from "./read-sent-events.ts";

export interface HttpAddress {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly token: string;
}

export function createHttpClient(address: HttpAddress): OperationClient {
  return {
    invoke: (name, input, options) => invokeOverHttp(address, name, input, options),
    upload: (file, options) => uploadOverHttp(address, file, options),
    dropUpload: (id) => dropUpload(address, id).catch(ignoreGone),
    events: (selection, signal, onCurrent) => eventsOverHttp(address, selection, signal, onCurrent),
    close: async () => 0,
  };
}

/** The commands that begin with a word, as the server has them. */
export async function describeOverHttp(
  address: HttpAddress,
  word: string,
): Promise<readonly CommandDescription[]> {
  const path = `/api/v1/commands/${encodeURIComponent(word)}`;
  const answer = await readAnswer(await send(address, { method: "GET", path }), undefined);
  return (answer as { readonly commands: readonly CommandDescription[] }).commands;
}

const PATIENCE_MS = 1500;

/** Whether a server answers at all, and soon. */
export async function isAnswering(address: HttpAddress): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const response = await send(address, { method: "GET", path: "/healthz", signal });
    await readText(response);
    return response.statusCode === 200;
  } catch {
    return false;
  }
}

const TRIES = 3;
const RETRY_MS = 200;

async function invokeOverHttp(
  address: HttpAddress,
  name: string,
  input: unknown,
  { signal, report, idempotencyKey }: CallOptions,
): Promise<OperationAnswer> {
  const call = {
    method: "POST",
    path: `/api/v1/${name.replace(".", "/")}`,
    body: JSON.stringify(input ?? {}),
    signal,
    headers: {
      "x-view": "terminal",
      ...(report === undefined ? {} : { accept: "text/event-stream" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
  };
  // With a key the change happens once however often it is sent; without one it must not be sent again.
  for (let tried = 1; ; tried += 1) {
    try {
      return (await readAnswer(await send(address, call), report)) as OperationAnswer;
    } catch (error) {
      const isBroken = error instanceof ProductError && error.code === "connection_broken";
      if (!isBroken || idempotencyKey === undefined || tried >= TRIES || signal.aborted)
        throw error;
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

const UPLOADS = "/api/v1/uploads";

/** What has arrived stays: after a break it goes on where the server says that the file ends. */
async function uploadOverHttp(
  address: HttpAddress,
  file: SentFile,
  { signal, report }: Pick<CallOptions, "signal" | "report">,
): Promise<string> {
  const { name, bytes } = file;
  const body = JSON.stringify({ name, bytes });
  const begun = await ask(address, { method: "POST", path: UPLOADS, body, signal });
  const path = `${UPLOADS}/${begun.id}`;
  let { received } = begun;
  for (let tried = 1; received < bytes; ) {
    try {
      for await (const { offset, bytes: length, chunks } of partsOf(file, received)) {
        const range = `bytes ${offset}-${offset + length - 1}/${bytes}`;
        const headers = {
          "content-type": "application/octet-stream",
          "content-length": String(length),
          "content-range": range,
        };
        ({ received } = await ask(address, { method: "PUT", path, body: chunks, headers, signal }));
        tried = 1;
        report?.({ message: `Sending ${name}`, done: received, total: bytes, unit: "bytes" });
      }
    } catch (error) {
      if (!isDisconnected(error) || tried >= TRIES || signal.aborted) throw error;
      tried += 1;
      await sleep(RETRY_MS, undefined, { signal });
      ({ received } = await ask(address, { method: "GET", path, signal }));
    }
  }
  return begun.id;
}

async function ask(address: HttpAddress, call: Call): Promise<{ id: string; received: number }> {
  const response = await send(address, call);
  const value = parseAnswer(await readText(response));
  if ((response.statusCode ?? 0) >= 300) throw fromProblem(value);
  return value as { id: string; received: number };
}

async function dropUpload(address: HttpAddress, id: string): Promise<void> {
  await ask(address, { method: "DELETE", path: `${UPLOADS}/${id}` });
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
  onCurrent: (() => void) | undefined,
): AsyncGenerator<Event, void> {
  let { after } = selection;
  let seenAt: number | undefined;
  while (!signal.aborted) {
    try {
      const response = await send(address, {
        method: "GET",
        path: `/api/v1/events?${eventQuery({ ...selection, after })}`,
        signal,
      });
      if (!isEventStream(response)) throw fromProblem(parseAnswer(await readText(response)));
      for await (const { id, data } of brokenAsError(readSentEvents(response))) {
        seenAt = performance.now();
        after = id ?? after;
        if (data !== undefined) yield data as Event;
        else if (id !== undefined) onCurrent?.();
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
  /** A text is sent as JSON, anything else as it comes. */
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Asked for instead of imported: an import would touch all it exports and so load the whole of fetch. */
const startRequest = process.getBuiltinModule("node:http").request;

function send(
  { url, token }: HttpAddress,
  { method, path, body, headers, signal }: Call,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = startRequest(
      new URL(path, url),
      {
        method,
        ...(signal === undefined ? {} : { signal }),
        headers: {
          authorization: `Bearer ${token}`,
          ...(typeof body === "string"
            ? { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
            : {}),
          ...headers,
        },
      },
      resolve,
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (signal?.aborted) return reject(error);
      reject(error.code === "ECONNREFUSED" ? unreachable(url, error) : connectionBroken(error));
    });
    if (body === undefined || typeof body === "string") sent.end(body);
    else void sendChunks(sent, body, reject);
  });
}

/** Trouble with the chunks themselves must not look like a broken connection. */
async function sendChunks(
  sent: ClientRequest,
  chunks: AsyncIterable<Uint8Array>,
  onTrouble: (error: unknown) => void,
): Promise<void> {
  const { pipeline } = await import("node:stream/promises");
  const watched = async function* () {
    try {
      yield* chunks;
    } catch (error) {
      onTrouble(error);
      throw error;
    }
  };
  // What goes wrong with the connection is heard by whoever waits for the answer.
  await pipeline(watched(), sent).catch(() => undefined);
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
