/**
 * One thing the product can do. CLI command, HTTP route, MCP tool, help, OpenAPI and the authorisation
 * matrix are rendered from it, so they cannot disagree.
 */

import type { z } from "zod";
import type { ErrorKind } from "../base/errors.ts";
import type { Caller, Permission } from "./caller.ts";
import type { Kernel } from "./kernel.ts";

export interface Operation<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  /** `noun.verb`, stable for ever: scripts and agents call it. */
  readonly name: string;
  readonly summary: string;
  readonly effect: "reads" | "writes" | "destroys";
  readonly permission: Permission;
  /**
   * Fields beyond the schema are refused. A field `expectedVersion` is filled from `If-Match` over
   * HTTP; an operation that finds another version throws `version_conflict`.
   */
  readonly input: Input;
  /** Fields beyond the schema are dropped. A number `version` in it becomes the ETag over HTTP. */
  readonly output: Output;
  /** The answer holds a secret that is shown once: it is never kept, not even to be repeated for the same key. */
  readonly isAnswerSecret?: boolean;
  readonly surfaces?: SurfaceHints;
  run(context: OperationContext, input: z.output<Input>): Promise<z.input<Output>>;
}

export interface OperationContext {
  readonly kernel: Kernel;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Tells whoever watches how far long work is; shown as a bar or a line, sent as an event. */
  readonly report: (progress: Progress) => void;
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
  /** Input fields given by position instead of by flag, in this order; a list takes all that is left. */
  readonly positionals?: readonly string[];
  /** Field read from standard input when it is not given. */
  readonly stdin?: string;
  /** How a person sees the result on a terminal; the default shows tables and fields. */
  readonly render?: (output: unknown) => string;
  readonly examples?: readonly string[];
  readonly follow?: FollowHint;
  /** What a result that is no error means to a script, e.g. `check_failed` when a check found problems. */
  readonly outcome?: (output: unknown) => ErrorKind | "ok";
}

/** Adds `--follow`: after the result, events are shown until one of `until` arrives. */
export interface FollowHint {
  /** The field of the output that names the event stream, e.g. `runId`. */
  readonly stream: string;
  /** The event types that end it, and what each means to a script. */
  readonly until: Readonly<Record<string, ErrorKind | "ok">>;
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
