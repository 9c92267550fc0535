/**
 * The workspace as a library: every operation as a typed function in this process, with an engine of its own from the
 * moment there is work. Methods and models of one's own are registered when it is opened.
 */

import type * as z from "zod";
import type { ModelProvider } from "../kernel/model/model-provider.ts";
import type { Caller } from "../kernel/operation/caller.ts";
import type { EventSelection } from "../kernel/operation/follow-events.ts";
import { type InvokeOptions, invoke } from "../kernel/operation/invoke.ts";
import type { Kernel } from "../kernel/operation/kernel.ts";
import { loadOperations } from "../kernel/operation/noun-index.ts";
import type { Operation } from "../kernel/operation/operation.ts";
import { createOperationRegistry } from "../kernel/operation/operation-registry.ts";
import { type RunEnd, waitForRun } from "../kernel/operation/wait-for-run.ts";
import type { EffectKind, Handler } from "../kernel/run/handler.ts";
import type { Event } from "../kernel/store/events.ts";
import { createLocalClient } from "../surfaces/cli/local-client.ts";
import { openHere } from "./connect-here.ts";
import { listNouns } from "./methods.ts";
import type { Operations } from "./operation-types.ts";
import { makeFolder } from "./workspace-folder.ts";
import { lockOrRefuse } from "./workspace-lock.ts";

export interface OpenOptions {
  /** The folder that the workspace lies in. One is made where there is none. */
  readonly directory: string;
  readonly methods?: readonly Method[];
  /** Providers by name: a model of one is called `name/model`. */
  readonly providers?: Readonly<Record<string, ModelProvider>>;
}

/**
 * What can be done that the program cannot do by itself. It has no tables of its own, so that the workspace can still be
 * opened without it: what it keeps are runs, their state and results, artifacts and events.
 */
export interface Method {
  readonly operations?: readonly Operation[];
  /** How its runs go. */
  readonly handlers?: readonly Handler[];
  readonly effects?: readonly EffectKind[];
}

export interface OpenWorkspace extends AsyncDisposable {
  /** `workspace.operations.packet.compile({…})` is `packet.compile`, as on every other way in. */
  readonly operations: Calls;
  /** An operation by its name. */
  invoke<Name extends keyof Operations>(
    name: Name,
    input: Operations[Name]["input"],
    options?: InvokeOptions,
  ): Promise<Operations[Name]["output"]>;
  /** An operation of one of the methods given. */
  perform<Input extends z.ZodType, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
    options?: InvokeOptions,
  ): Promise<z.output<Output>>;
  /** Events as they come, without gap or repetition, until the signal aborts. */
  events(selection: EventSelection, signal: AbortSignal): AsyncGenerator<Event, void>;
  /** Until it has ended, or cannot go on without a person. */
  waitForRun(runId: string, signal?: AbortSignal): Promise<RunEnd>;
  /** Everything under it, for methods of one's own. */
  readonly kernel: Kernel;
  /** Whose workspace it is; everything is done in their name. */
  readonly caller: Caller;
  close(): Promise<void>;
}

/** By noun and verb, the verb in camel case: `harvest.accept-all` is `harvest.acceptAll`. */
export type Calls = {
  readonly [Noun in NounOf<keyof Operations>]: {
    readonly [Name in keyof Operations as Name extends `${Noun}.${infer Verb}`
      ? Camel<Verb>
      : never]: (
      input: Operations[Name]["input"],
      options?: InvokeOptions,
    ) => Promise<Operations[Name]["output"]>;
  };
};

type NounOf<Name> = Name extends `${infer Noun}.${string}` ? Noun : never;
type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;

export async function openWorkspace(options: OpenOptions): Promise<OpenWorkspace> {
  const { methods = [], providers = {} } = options;
  const folder = makeFolder(options.directory);
  // Runs of a method that only this process knows must not be taken up by another.
  const lock = methods.some(({ handlers = [] }) => handlers.length > 0)
    ? lockOrRefuse(folder)
    : undefined;
  const here = await openHere(folder, {
    lock,
    extension: {
      providers,
      handlers: methods.flatMap(({ handlers = [] }) => handlers),
      effects: methods.flatMap(({ effects = [] }) => effects),
    },
  });
  const { kernel, caller } = here;
  const nouns = listNouns(() => folder);
  const registry = createOperationRegistry([
    ...(await loadOperations(nouns)),
    ...methods.flatMap(({ operations = [] }) => operations),
  ]);
  const byName = (name: string, input: unknown, how?: InvokeOptions): Promise<unknown> =>
    invoke(kernel, registry, name, caller, input, how);
  const client = createLocalClient({ ...here, load: async () => registry });
  return {
    operations: callsOf(byName) as Calls,
    invoke: byName as OpenWorkspace["invoke"],
    perform: ((operation, input, how) =>
      byName(operation.name, input, how)) as OpenWorkspace["perform"],
    events: (selection, signal) => client.events(selection, signal),
    waitForRun: (runId, signal = new AbortController().signal) => waitForRun(kernel, runId, signal),
    kernel,
    caller,
    close: async () => void (await here.close()),
    [Symbol.asyncDispose]: async () => void (await here.close()),
  };
}

function callsOf(byName: (name: string, input: unknown, how?: InvokeOptions) => Promise<unknown>) {
  const verbsOf = (noun: string) =>
    new Proxy(
      {},
      {
        get: (_, verb) =>
          typeof verb === "string"
            ? (input: unknown, how?: InvokeOptions) => byName(`${noun}.${kebab(verb)}`, input, how)
            : undefined,
      },
    );
  return new Proxy(
    {},
    { get: (_, noun) => (typeof noun === "string" ? verbsOf(noun) : undefined) },
  );
}

function kebab(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
