/** Operations in this process. */

import type { Caller } from "../../kernel/operation/caller.ts";
import { followEvents } from "../../kernel/operation/follow-events.ts";
import { invoke } from "../../kernel/operation/invoke.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { toAnswer } from "../../kernel/operation/operation-answer.ts";
import type { OperationRegistry } from "../../kernel/operation/operation-registry.ts";
import { appendUpload, beginUpload, removeUpload } from "../../kernel/operation/uploads.ts";
import { visibleEvents } from "../../kernel/operation/visible-events.ts";
import { ignoreGone, partsOf } from "./file-parts.ts";
import type { OperationClient } from "./operation-client.ts";

const IDLE_MS = 60_000;

export function createLocalClient(options: {
  readonly kernel: Kernel;
  /** Gives a registry that has the operation, if there is such a one. */
  readonly load: (name: string) => Promise<OperationRegistry>;
  readonly caller: Caller;
  readonly close: () => Promise<number>;
}): OperationClient {
  const { kernel, load, caller, close } = options;
  const { store, clock, changes } = kernel;
  return {
    // No connection that could break between the deed and the answer: the key is of no use here.
    invoke: async (name, input, { signal, report }) => {
      const registry = await load(name);
      const output = await invoke(kernel, registry, name, caller, input, { signal, report });
      const operation = registry.get(name);
      const { unserved } = operation.surfaces?.cli ?? {};
      return {
        ...toAnswer(operation, output),
        // Beside a PostgreSQL others may be at work.
        unserved:
          unserved && store.dialect === "sqlite"
            ? await store.read(() => unserved(output))
            : undefined,
      };
    },
    async upload(file, { signal, report }) {
      const { name, bytes } = file;
      const { id } = await beginUpload(kernel, caller, { name, bytes });
      let received = 0;
      for await (const part of partsOf(file, 0)) {
        signal.throwIfAborted();
        ({ received } = await appendUpload(kernel, caller, {
          id,
          offset: received,
          chunk: part.chunks,
        }));
        report?.({ message: `Copying ${name}`, done: received, total: bytes, unit: "bytes" });
      }
      return id;
    },
    dropUpload: async (id) => {
      await removeUpload(kernel, caller, id).catch(ignoreGone);
    },
    async *events(selection, signal, onCurrent) {
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
      for await (const { events, isCurrent } of pages) {
        yield* events;
        if (isCurrent) onCurrent?.();
      }
    },
    close,
  };
}
