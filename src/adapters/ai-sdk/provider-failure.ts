/** Whatever the packages or the network throw, as one of our failures and without anybody's secrets. */

import {
  failureOfStatus,
  isQuotaExhausted,
  ModelError,
  type ModelErrorOptions,
} from "../../kernel/model/model-error.ts";
import { providerText } from "../../kernel/model/provider-text.ts";
import { retryAfterMs } from "../../kernel/model/retry-after.ts";

export interface FailureContext {
  /** How messages name the provider. */
  readonly provider: string;
  readonly secrets: readonly string[];
  readonly now: number;
  /** True once the first part of a reply arrived: then a lost connection is a cut. */
  readonly streaming: boolean;
}

export function providerFailure(error: unknown, context: FailureContext): ModelError {
  if (error instanceof ModelError) return error;
  const told = refusedCall(error) ?? streamError(error);
  return told ? statusFailure(told, context) : connectionFailure(error, context);
}

export interface ToldFailure {
  readonly status: number;
  readonly message: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function statusFailure(told: ToldFailure, context: FailureContext): ModelError {
  const reply = `${told.message}\n${told.body}`;
  const failure = failureOfStatus(told.status, reply);
  const exhausted = failure === "rate_limited" && isQuotaExhausted(reply);
  const requestId = told.headers["request-id"] ?? told.headers["x-request-id"];
  return new ModelError(
    failure,
    `${context.provider} answered ${told.status}: ${shown(told, context.secrets)}`,
    {
      retryAfterMs: retryAfterMs(told.headers, context.now),
      details: { status: told.status, ...(requestId ? { requestId } : {}) },
      ...(exhausted ? EXHAUSTED : {}),
    },
  );
}

const EXHAUSTED: ModelErrorOptions = {
  retryable: false,
  hint: "The account's quota is used up: top it up, or choose another model.",
};

function shown({ message, body }: ToldFailure, secrets: readonly string[]): string {
  const isPage = /^\s*<(?:!doctype|html)/i.test(body);
  const text = providerText(message || (isPage ? "" : body), secrets).replace(/\.$/, "");
  return text === "" ? "no further words." : `${text}.`;
}

/** The fields of the packages' `APICallError`, read without loading the package. */
interface CallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

/** A status below 400 means the answer began well and the connection broke later. */
function refusedCall(error: unknown): ToldFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { statusCode: status, responseHeaders, responseBody, message }: CallError = error;
  if (status === undefined || status < 400) return undefined;
  return { status, message, body: responseBody ?? "", headers: responseHeaders ?? {} };
}

/** An error event inside a stream that began with 200. */
function streamError(error: unknown): ToldFailure | undefined {
  if (error instanceof Error || typeof error !== "object" || error === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...error };
  const { message, type, code, statusCode } = fields;
  const words = [type, code].filter((word) => typeof word === "string").join(" ");
  return {
    status: typeof statusCode === "number" ? statusCode : statusOfWords(words, code),
    message: typeof message === "string" ? message : "an error in the middle of the stream",
    body: words,
    headers: {},
  };
}

function statusOfWords(words: string, code: unknown): number {
  if (typeof code === "number" && code >= 400 && code < 600) return code;
  if (/overload/i.test(words)) return 529;
  if (/rate|quota/i.test(words)) return 429;
  if (/auth|permission/i.test(words)) return 401;
  if (/invalid|not_found/i.test(words)) return 400;
  return 500;
}

const UNTRUSTED = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_VERIFY|ERR_SSL/;

function connectionFailure(error: unknown, context: FailureContext): ModelError {
  const code = errorCode(error);
  const words = error instanceof Error ? providerText(lastMessage(error), context.secrets) : "";
  const because = words === "" ? "." : `: ${words.replace(/\.$/, "")}.`;
  const details = code === undefined ? {} : { code };
  if (code !== undefined && UNTRUSTED.test(code)) {
    return new ModelError("unavailable", `${context.provider} cannot be trusted${because}`, {
      details,
      retryable: false,
      hint: "Its certificate does not hold; check the base URL and the clock.",
    });
  }
  if (context.streaming || answered(error)) {
    const message = `${context.provider} broke off in the middle of its reply${because}`;
    return new ModelError("cut", message, { details });
  }
  const what = code === undefined ? "gave no usable reply" : "cannot be reached";
  return new ModelError("unavailable", `${context.provider} ${what}${because}`, { details });
}

/** Errors while reading a body come with the status the answer began with. */
function answered(error: unknown): boolean {
  return error instanceof Error && "statusCode" in error && typeof error.statusCode === "number";
}

function errorCode(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; depth += 1) {
    if ("code" in each && typeof each.code === "string") return each.code;
    each = each.cause;
  }
  return undefined;
}

/** Reports of what a chunk should have looked like run over pages; that it was wrong is enough. */
const UNREADABLE = /^AI_(?:TypeValidation|JSONParse|InvalidResponseData)Error$/;

function lastMessage(error: Error): string {
  if (UNREADABLE.test(error.name)) return "it sent something that is not its protocol";
  let each = error;
  for (let depth = 0; each.cause instanceof Error && depth < 8; depth += 1) each = each.cause;
  return each.message;
}
