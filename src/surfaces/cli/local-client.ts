/** Operations in this process. */

import type { Caller } from "../../kernel/operation/caller.ts";
import { followEvents } from "../../kernel/operation/follow-events.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import type { OperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { visibleEvents } from "../../kernel/operation/visible-events.ts";
import type { OperationClient } from "./operation-client.ts";

const IDLE_MS = 60_000;

export function createLocalClient(options: {
  readonly kernel: Kernel;
  readonly registry: OperationRegistry;
  readonly caller: Caller;
  readonly close: () => Promise<void>;
}): OperationClient {
  const { kernel, registry, caller, close } = options;
  const { store, clock, changes } = kernel;
  return {
    // No connection that could break between the deed and the answer: the key is of no use here.
    invoke: (name, input, { signal, report }) =>
      invoke(kernel, registry, name, caller, input, { signal, report }),
    async *events(selection, signal) {
      const select = (events: Parameters<typeof visibleEvents>[0]) =>
        store.read(() => visibleEvents(events, caller));
      const pages = followEvents({
        ...selection,
        store,
        clock,
        changes,
        signal,
        select,
        idleMs: IDLE_MS,
      });
      for await (const { events } of pages) yield* events;
    },
    close,
  };
}
