/** The thread that reads a large file for an import: it hands over batches as they are asked for, two ahead at most. */

import { parentPort, workerData } from "node:worker_threads";
import { ProductError } from "../../../kernel/base/errors.ts";
import { openSourceFiles } from "./open-source-files.ts";
import { readImport } from "./read-import.ts";
import type { ReaderMessage, ReaderOrder } from "./read-in-thread.ts";

const AHEAD = 2;
const { place, name, branches, known } = workerData as ReaderOrder;
const digests = new Set(known);
let credit = AHEAD;
let onCredit = () => {};
parentPort?.on("message", () => {
  credit += 1;
  onCredit();
});

try {
  const sources = await openSourceFiles(place, name);
  try {
    const options = {
      branches,
      isKnown: (digest: string) => digests.has(digest),
      elapsed: () => performance.now(),
      // Whoever wants to leave off ends the thread.
      signal: new AbortController().signal,
    };
    for await (const batch of readImport(sources, options)) {
      while (credit === 0) {
        await new Promise<void>((resolve) => {
          onCredit = resolve;
        });
      }
      credit -= 1;
      send({ kind: "batch", batch });
    }
  } finally {
    await sources.close();
  }
  send({ kind: "end" });
} catch (error) {
  send({ kind: "failed", ...failureOf(error) });
}
parentPort?.close();

function send(message: ReaderMessage): void {
  parentPort?.postMessage(message);
}

/** An error loses its class on the way; this keeps what ours are told apart by. */
function failureOf(error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ProductError)) return { message };
  const { code, kind, hint, details } = error;
  return { message, foreseen: { code, kind, details, ...(hint === undefined ? {} : { hint }) } };
}
