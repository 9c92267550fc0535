/** What an operation came to, as a terminal shows it and a script reads it; also where another process performed it. */

import type { ErrorKind } from "../base/errors.ts";
import type { Operation } from "./operation.ts";

export interface OperationAnswer {
  readonly output: unknown;
  /** The operation's own view for a person; without one, tables and fields are made of the output. */
  readonly view?: string | undefined;
  readonly outcome: ErrorKind | "ok";
  /** What will not be done, for no server is here to do it. */
  readonly unserved?: string | undefined;
}

export function toAnswer({ surfaces }: Operation, output: unknown): OperationAnswer {
  const { render, outcome } = surfaces?.cli ?? {};
  return { output, view: render?.(output), outcome: outcome?.(output) ?? "ok" };
}
