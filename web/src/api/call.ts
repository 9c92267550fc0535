/** Requests to our own server, with what proves that they come from this page and this login. */

import { CallProblem, unreachable } from "./call-problem.ts";
import { loginSecret } from "./login-secret.ts";
import type { Input, OperationName, Output } from "./operation.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Makes a change happen once, however often it is sent. */
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function callOperation<Name extends OperationName>(
  name: Name,
  input: Input<Name>,
  options: CallOptions = {},
): Promise<Output<Name>> {
  const address = `/api/v1/${name.replace(".", "/")}`;
  return (await requestJson(address, input, options)) as Output<Name>;
}

/** `body` undefined reads with GET. */
export async function requestJson(
  address: string,
  body?: unknown,
  { signal, key, headers }: CallOptions = {},
): Promise<unknown> {
  const response = await request(address, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  });
  return response.json();
}

/** Any request that answers with an error status throws what the server says about it. */
export async function request(address: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-app", "1");
  const secret = loginSecret();
  if (secret !== undefined) headers.set("x-login-secret", secret);
  let response: Response;
  try {
    response = await fetch(address, { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable(error);
  }
  if (response.ok) return response;
  throw await readProblem(response);
}

async function readProblem(response: Response): Promise<CallProblem> {
  const { status } = response;
  try {
    return new CallProblem({ status, ...((await response.json()) as object) });
  } catch {
    return new CallProblem({ status, detail: `The server answered ${status}.` });
  }
}
