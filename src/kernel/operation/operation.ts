/**
 * One thing the product can do. CLI command, HTTP route, MCP tool, help, OpenAPI and the authorisation
 * matrix are rendered from it, so they cannot disagree.
 */

import type { z } from "zod";
import type { ErrorKind } from "../base/errors.ts";
import type { Library } from "../library/library.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import type { Place, PlacedNoun } from "../store/find-place.ts";
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
   * The input fields that name a project or something in one, with what they name. The caller must see it, and
   * their role in its project must allow `permission`: checked before the operation runs.
   */
  readonly projectScope?: Readonly<Record<string, PlacedNoun | PlaceFinder>>;
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

/** Finds a noun of a method by what a caller calls it and says where it belongs; throws if they do not see it. */
export type PlaceFinder = (given: string, caller: Caller) => DatabaseWork<Place>;

export interface OperationContext {
  readonly kernel: Kernel;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Tells whoever watches how far long work is; shown as a bar or a line, sent as an event. */
  readonly report: (progress: Progress) => void;
}

export interface Progress {
  /** What is being done; the same words as long as it is the same. */
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
  /** What `done` and `total` count, where they are to be read as such. */
  readonly unit?: "bytes";
  /** What else is worth seeing meanwhile: counts, a rate. */
  readonly detail?: string;
}

/** What a surface may show differently from the default it derives from the name and the schemas. */
export interface SurfaceHints {
  readonly cli?: CliHints;
  readonly http?: HttpHints;
  /** In which choice of tools agents find it: the few that everybody gets, all, or none. */
  readonly mcp?: "core" | "full" | "none";
  readonly resource?: ResourceHint;
  /** Prompts that people pick by name in their client; each is a use of this operation. */
  readonly prompts?: (library: Library) => readonly PromptHint[];
}

/** A thing of this noun can be read under an address of its own; the operation shows one. */
export interface ResourceHint {
  /** What the kind of thing is called, for people who choose. */
  readonly title: string;
  /** The input field that names the thing. */
  readonly key: string;
  /** The output field that is its text; without one the whole output is shown. */
  readonly text?: string;
  /** An operation that lists such things, newest first, and the field of an item that names it to people. */
  readonly list: { readonly operation: string; readonly name: string };
}

export interface PromptHint {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** What the prompt always says to the operation. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Input fields that are asked for. */
  readonly asks: readonly string[];
  /** The output field that is the prompt's text. */
  readonly text: string;
}

export interface CliHints {
  /** Words instead of `noun verb`, e.g. `["doctor"]`. */
  readonly words?: readonly string[];
  /** Input fields given by position instead of by flag, in this order; a list takes all that is left. */
  readonly positionals?: readonly string[];
  /** A field that makes of it something that cannot be undone: whoever sets it is asked whether they mean it. */
  readonly destroysWith?: string;
  /** Field read from standard input when it is not given. */
  readonly stdin?: string;
  /** Refusals for want of that field, by code: whoever sits at a terminal is asked to paste it instead. */
  readonly paste?: readonly string[];
  /**
   * Fields that name an upload: typed as a file, a folder or `-`, which is sent first and becomes the upload's id.
   * With each, how the names of those files end that are looked for in folders.
   */
  readonly files?: Readonly<Record<string, readonly string[]>>;
  /** Fields that no command line takes: too long for one, and every process of the machine could read them there. */
  readonly untyped?: readonly string[];
  /** How a person sees the result on a terminal; the default shows tables and fields. */
  readonly render?: (output: unknown) => string;
  readonly examples?: readonly string[];
  readonly follow?: FollowHint;
  readonly review?: ReviewHint;
  /** What a result that is no error means to a script, e.g. `check_failed` when a check found problems. */
  readonly outcome?: (output: unknown) => ErrorKind | "ok";
  /** What of the result only a server will do, said where none runs. */
  readonly unserved?: (output: unknown) => DatabaseWork<string | undefined>;
}

/** Adds `--follow`: after the result, events are shown until one of `until` arrives. */
export interface FollowHint {
  /** The field of the output that names the event stream, e.g. `runId`. */
  readonly stream: string;
  /** The event types that end it, and what each means to a script. */
  readonly until: Readonly<Record<string, ErrorKind | "ok">>;
  /**
   * An operation that shows the stream's subject as it stands, given `stream` as its input. On a terminal it is shown
   * anew with every change, in place of the events.
   */
  readonly view?: string;
}

/** On a terminal, goes through a list in the output item by item, asks about each, and carries all answers out at once. */
export interface ReviewHint {
  /** The field of the output that lists the items. */
  readonly items: string;
  /** The field that names an item; `view` takes it as its input. */
  readonly key: string;
  /** The field that lists which of the answers an item leaves. One that leaves none is passed over. */
  readonly choices: string;
  /** Only items whose field has this value are gone through. */
  readonly open: { readonly field: string; readonly is: string };
  /** Fields of the output that `view` and `apply` take as their input. */
  readonly subject: readonly string[];
  /** An operation whose view shows one item. */
  readonly view: string;
  /** An operation that takes for each answer a list of the items it was given to. */
  readonly apply: string;
  /** Whoever sets this field of the input wants to be asked nothing. */
  readonly unless?: string;
  readonly answers: Readonly<Record<string, ReviewAnswer>>;
  /** The answer that may be given to an item and all that follow, as far as they leave it. */
  readonly all?: string;
}

export interface ReviewAnswer {
  readonly letter: string;
  readonly says: string;
  /** Asked for one by one; its list then holds `{key, …fields}`. */
  readonly fields?: readonly string[];
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
