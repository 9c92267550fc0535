/** Operations carried out in another thread: one message there, one back, and progress in between. */

import { inspect } from "node:util";
import type { MessagePort } from "node:worker_threads";
import { type ErrorKind, ProductError } from "../kernel/base/errors.ts";
import type { Caller } from "../kernel/operation/caller.ts";
import type { Perform } from "../kernel/operation/invoke.ts";
import type { Progress } from "../kernel/operation/operation.ts";

type Request =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly name: string;
      readonly caller: Caller;
      readonly input: unknown;
      readonly idempotencyKey: string | undefined;
      readonly wantsProgress: boolean;
    }
  | { readonly kind: "abort"; readonly id: number };

type Reply =
  | { readonly kind: "progress"; readonly id: number; readonly progress: Progress }
  | { readonly kind: "done"; readonly id: number; readonly output: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly failure: Failure };

/** An error loses its class on the way; this keeps what ours are told apart by. */
interface Failure {
  readonly message: string;
  readonly stack: string;
  readonly foreseen?: {
    readonly code: string;
    readonly kind: ErrorKind;
    readonly hint: string | undefined;
    readonly details: Readonly<Record<string, unknown>>;
  };
}

interface OpenCall {
  readonly report: ((progress: Progress) => void) | undefined;
  readonly resolve: (output: unknown) => void;
  readonly reject: (failure: Failure) => void;
}

/** The asking end. */
export function callThrough(port: MessagePort): Perform {
  const open = new Map<number, OpenCall>();
  let lastId = 0;
  port.on("message", (reply: Reply) => {
    const call = open.get(reply.id);
    if (reply.kind === "progress") return call?.report?.(reply.progress);
    open.delete(reply.id);
    if (reply.kind === "done") call?.resolve(reply.output);
    else call?.reject(reply.failure);
  });
  return async (name, caller, input, { signal, report, idempotencyKey } = {}) => {
    signal?.throwIfAborted();
    lastId += 1;
    const id = lastId;
    const send = (request: Request) => port.postMessage(request);
    const abort = () => send({ kind: "abort", id });
    signal?.addEventListener("abort", abort);
    try {
      return await new Promise<unknown>((resolve, reject) => {
        const fail = (failure: Failure) => reject(revive(failure, signal));
        open.set(id, { report, resolve, reject: fail });
        const wantsProgress = report !== undefined;
        send({ kind: "call", id, name, caller, input, idempotencyKey, wantsProgress });
      });
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  };
}

/** The answering end. */
export function answerThrough(port: MessagePort, perform: Perform): void {
  const underWay = new Map<number, AbortController>();
  const send = (reply: Reply) => port.postMessage(reply);
  const answer = async (call: Request & { readonly kind: "call" }) => {
    const { id, name, caller, input, idempotencyKey, wantsProgress } = call;
    const abort = new AbortController();
    underWay.set(id, abort);
    const report = (progress: Progress) => send({ kind: "progress", id, progress });
    try {
      const output = await perform(name, caller, input, {
        signal: abort.signal,
        idempotencyKey,
        report: wantsProgress ? report : undefined,
      });
      send({ kind: "done", id, output });
    } catch (error) {
      send({ kind: "failed", id, failure: toFailure(error) });
    }
    underWay.delete(id);
  };
  port.on("message", (request: Request) => {
    if (request.kind === "abort") underWay.get(request.id)?.abort();
    else void answer(request);
  });
}

function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const stack = inspect(error);
  if (!(error instanceof ProductError)) return { message, stack };
  const { code, kind, hint, details } = error;
  return { message, stack, foreseen: { code, kind, hint, details } };
}

function revive({ message, stack, foreseen }: Failure, signal: AbortSignal | undefined): unknown {
  if (foreseen === undefined) {
    return signal?.aborted ? signal.reason : Object.assign(new Error(message), { stack });
  }
  const { code, kind, hint, details } = foreseen;
  const error = new ProductError(code, message, {
    kind,
    details,
    ...(hint === undefined ? {} : { hint }),
  });
  return Object.assign(error, { stack });
}
