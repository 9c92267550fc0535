/**
 * The one path to every operation, whatever door the caller came through:
 * authorise → check the input → run → check the output.
 */

import { z } from "zod";
import { ProductError } from "../base/errors.ts";
import { authorise } from "./authorise.ts";
import type { Caller } from "./caller.ts";
import { runOnce } from "./idempotency.ts";
import { inputInvalid, toInputProblems } from "./input-problems.ts";
import type { Kernel } from "./kernel.ts";
import type { Operation, Progress } from "./operation.ts";
import type { OperationRegistry } from "./operation-registry.ts";

export interface InvokeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly report?: ((progress: Progress) => void) | undefined;
  /** The same key with the same input gives the stored answer instead of doing it again. */
  readonly idempotencyKey?: string | undefined;
}

export async function invoke(
  kernel: Kernel,
  registry: OperationRegistry,
  name: string,
  caller: Caller,
  rawInput: unknown,
  options: InvokeOptions = {},
): Promise<unknown> {
  const operation = registry.get(name);
  authorise(caller, operation);
  const input = parseInput(operation, rawInput);
  const run = async (): Promise<unknown> => {
    const { signal = new AbortController().signal, report = ignoreProgress } = options;
    signal.throwIfAborted();
    return checkOutput(operation, await operation.run({ kernel, caller, signal, report }, input));
  };
  const { idempotencyKey: key } = options;
  if (key === undefined || operation.effect === "reads") return run();
  const { isAnswerSecret } = operation;
  const keyed = { principal: caller.userId, route: name, key, request: rawInput, isAnswerSecret };
  return runOnce(kernel, keyed, run);
}

function ignoreProgress(): void {}

function parseInput(operation: Operation, rawInput: unknown): unknown {
  const parsed = operation.input.safeParse(rawInput ?? {});
  if (parsed.success) return parsed.data;
  const { input } = operation;
  const fields = input instanceof z.ZodObject ? Object.keys(input.shape) : [];
  throw inputInvalid(toInputProblems(parsed.error, fields));
}

/** Answers are promises too: what the schema does not name never leaves, what it names is there. */
function checkOutput(operation: Operation, output: unknown): unknown {
  const parsed = operation.output.safeParse(output);
  if (parsed.success) return parsed.data;
  throw new ProductError(
    "output_invalid",
    `"${operation.name}" was done, but its answer is not of the promised shape.`,
    {
      kind: "internal",
      hint: "This is a fault of the program; please report it with the operation's name.",
      details: { errors: toInputProblems(parsed.error, []) },
      cause: parsed.error,
    },
  );
}
