/**
 * The one path to every operation, whatever door the caller came through:
 * authorise → check the input → check the rights in the projects it names → run → check the output.
 */

import { z } from "zod";
import { ProductError } from "../base/errors.ts";
import { authorise } from "./authorise.ts";
import type { Caller } from "./caller.ts";
import { toFileError } from "./file-errors.ts";
import { runOnce } from "./idempotency.ts";
import { inputInvalid, toInputProblems } from "./input-problems.ts";
import type { Kernel } from "./kernel.ts";
import type { Operation, Progress } from "./operation.ts";
import type { OperationRegistry } from "./operation-registry.ts";
import { isNarrowedByProject, requireProjectScope } from "./project-rights.ts";

export interface InvokeOptions {
  readonly signal?: AbortSignal | undefined;
  readonly report?: ((progress: Progress) => void) | undefined;
  /** The same key with the same input gives the stored answer instead of doing it again. */
  readonly idempotencyKey?: string | undefined;
}

/** `invoke` with its workspace in hand, wherever that is. */
export type Perform = (
  name: string,
  caller: Caller,
  rawInput: unknown,
  options?: InvokeOptions,
) => Promise<unknown>;

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
  const run = async (given: Kernel): Promise<unknown> => {
    const { signal = new AbortController().signal, report = ignoreProgress } = options;
    signal.throwIfAborted();
    if (isNarrowedByProject(caller, operation))
      await kernel.store.read(() => requireProjectScope(caller, operation, input));
    try {
      return await operation.run({ kernel: given, caller, signal, report }, input);
    } catch (error) {
      throw toFileError(error);
    }
  };
  const check = (given: unknown) => checkOutput(operation, given);
  const { idempotencyKey: key } = options;
  if (key === undefined || operation.effect === "reads") return check(await run(kernel));
  const { output, isAnswerSecret } = operation;
  const asked = { principal: caller.userId, route: name, key, request: rawInput };
  return runOnce(kernel, { ...asked, output, isAnswerSecret }, run, check);
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
