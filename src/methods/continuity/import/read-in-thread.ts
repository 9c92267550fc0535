/**
 * Reads a large file in a thread of its own: reading goes on while batches are written, nobody else waits for it, and
 * a file that takes too much memory ends the thread and not the program.
 */

import path from "node:path";
import { Worker } from "node:worker_threads";
import { type ErrorOptions, ProductError } from "../../../kernel/base/errors.ts";
import type { ImportBatch } from "./read-import.ts";
import type { Branches } from "./source-file.ts";

export interface ReaderOrder {
  readonly place: string;
  readonly name: string;
  readonly branches: Branches;
  /** Digests of bytes that were stored before. */
  readonly known: readonly string[];
}

export type ReaderMessage =
  | { readonly kind: "batch"; readonly batch: ImportBatch }
  | { readonly kind: "end" }
  | {
      readonly kind: "failed";
      readonly message: string;
      readonly foreseen?: ErrorOptions & { readonly code: string };
    };

/** Enough for the largest record there may be, with what reading it makes of it. */
const MEMORY = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 1536 };

export async function* readImportInThread(
  order: ReaderOrder,
  signal: AbortSignal,
): AsyncGenerator<ImportBatch, void> {
  const extension = import.meta.filename.endsWith(".ts") ? ".ts" : ".js";
  const thread = new Worker(path.join(import.meta.dirname, `reader-thread${extension}`), {
    workerData: order,
    resourceLimits: MEMORY,
  });
  const arrived: (ReaderMessage | { readonly kind: "broken"; readonly error: unknown })[] = [];
  let onChange = () => {};
  const note = (message: (typeof arrived)[number]) => {
    arrived.push(message);
    onChange();
  };
  const onAbort = () => onChange();
  thread.on("message", note);
  thread.on("error", (error) => note({ kind: "broken", error }));
  thread.on("exit", () => note({ kind: "broken", error: new Error("The reading thread ended.") }));
  signal.addEventListener("abort", onAbort);
  try {
    for (;;) {
      signal.throwIfAborted();
      const message = arrived.shift();
      if (message === undefined) {
        await new Promise<void>((resolve) => {
          onChange = resolve;
        });
      } else if (message.kind === "batch") {
        thread.postMessage("more");
        yield message.batch;
      } else if (message.kind === "end") return;
      else throw message.kind === "broken" ? brokenError(message.error) : revived(message);
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await thread.terminate();
  }
}

function brokenError(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  return new ProductError("import_memory", "Reading the file took more memory than it may.", {
    kind: "limit",
    hint: "Unpack or split it, and import the parts.",
    cause: error,
  });
}

function revived({ message, foreseen }: ReaderMessage & { readonly kind: "failed" }): Error {
  if (foreseen === undefined) return new Error(message);
  const { code, ...options } = foreseen;
  return new ProductError(code, message, options);
}
