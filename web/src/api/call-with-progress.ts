/** A long change that says how far it is. Should the line break, asking again with the same key takes it up. */

import { request } from "./call.ts";
import { CallProblem, toProblem, unreachable } from "./call-problem.ts";
import type { ChangeName, Input, Output } from "./operation.ts";
import { readSentEvents } from "./sent-events.ts";

export interface Progress {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
  readonly unit?: "bytes";
  readonly detail?: string;
}

const TRIES = 3;

export async function callWithProgress<Name extends ChangeName>(
  name: Name,
  input: Input<Name>,
  onProgress: (progress: Progress) => void,
): Promise<Output<Name>> {
  const key = crypto.randomUUID();
  for (let tried = 1; ; tried += 1) {
    try {
      return await callOnce(name, input, key, onProgress);
    } catch (error) {
      if (!toProblem(error).isUnreachable || tried >= TRIES) throw error;
    }
  }
}

async function callOnce<Name extends ChangeName>(
  name: Name,
  input: Input<Name>,
  key: string,
  onProgress: (progress: Progress) => void,
): Promise<Output<Name>> {
  const response = await request(`/api/v1/${name.replace(".", "/")}`, {
    method: "POST",
    headers: {
      accept: "text/event-stream",
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify(input),
  });
  if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
    return (await response.json()) as Output<Name>;
  let result: { readonly output: Output<Name> } | undefined;
  let problem: CallProblem | undefined;
  try {
    await readSentEvents(response, (events) => {
      for (const { event, data } of events) {
        if (event === "progress") onProgress(JSON.parse(data) as Progress);
        if (event === "problem") problem = new CallProblem(JSON.parse(data) as object);
        if (event === "result") result = { output: JSON.parse(data) as Output<Name> };
      }
    });
  } catch (error) {
    throw unreachable(error);
  }
  if (problem !== undefined) throw problem;
  if (result === undefined) throw unreachable(undefined);
  return result.output;
}
