/**
 * One thing the product can do. CLI command, HTTP route, MCP tool, help, OpenAPI and the authorisation
 * matrix are rendered from it, so they cannot disagree.
 */

import type { z } from "zod";
import type { Caller, Permission } from "./caller.ts";
import type { Kernel } from "./kernel.ts";

export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  /** `noun.verb`, stable for ever: scripts and agents call it. */
  readonly name: string;
  readonly summary: string;
  readonly effect: "reads" | "writes" | "destroys";
  readonly permission: Permission;
  readonly input: Input;
  readonly output: Output;
  readonly surfaces?: SurfaceHints;
  run(context: OperationContext, input: z.output<Input>): Promise<z.input<Output>>;
}

export interface OperationContext {
  readonly kernel: Kernel;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Tells whoever watches how far long work is; shown as a bar or a line, sent as an event. */
  report(progress: Progress): void;
}

export interface Progress {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

/** What a surface may show differently from the default it derives from the name and the schemas. */
export interface SurfaceHints {
  readonly cli?: CliHints;
  readonly http?: HttpHints;
  readonly mcp?: "core" | "full" | "none";
}

export interface CliHints {
  /** Words instead of `noun verb`, e.g. `["doctor"]`. */
  readonly words?: readonly string[];
  /** Input fields given by position instead of by flag, in this order. */
  readonly positionals?: readonly string[];
  /** Field read from standard input when it is not given. */
  readonly stdin?: string;
  /** How a person sees the result on a terminal; the default shows tables and fields. */
  readonly render?: (output: unknown) => string;
  readonly examples?: readonly string[];
}

export interface HttpHints {
  /** A second address for it, as the seed has it: `POST /api/start-chat/generate`. */
  readonly alias?: { readonly method: "GET" | "POST"; readonly path: string };
}

/** Keeps the types of the schemas while an operation is written down. */
export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}
