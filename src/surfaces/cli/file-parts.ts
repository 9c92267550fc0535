/** A file in parts as large as one request may carry, each streamed, none of them held. */

import { ProductError } from "../../kernel/base/errors.ts";
import type { SentFile } from "./operation-client.ts";

export interface FilePart {
  readonly offset: number;
  readonly bytes: number;
  /** Must be read to its end before the next part is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const PART_BYTES = 32 * 1024 * 1024;

export async function* partsOf(file: SentFile, from: number): AsyncGenerator<FilePart, void> {
  const source = file.open(from)[Symbol.asyncIterator]();
  let rest: Uint8Array | undefined;
  try {
    for (let offset = from; offset < file.bytes; ) {
      const bytes = Math.min(PART_BYTES, file.bytes - offset);
      const take = async function* (): AsyncGenerator<Uint8Array, void> {
        for (let left = bytes; left > 0; ) {
          const chunk = rest ?? (await nextOf(source, file));
          const part = chunk.subarray(0, left);
          rest = part.length < chunk.length ? chunk.subarray(part.length) : undefined;
          left -= part.length;
          yield part;
        }
      };
      yield { offset, bytes, chunks: take() };
      offset += bytes;
    }
  } finally {
    await source.return?.();
  }
}

async function nextOf(source: AsyncIterator<Uint8Array>, { name }: SentFile): Promise<Uint8Array> {
  const { done, value } = await source.next();
  if (!done) return value;
  throw new ProductError("file_changed", `The file "${name}" became shorter while it was read.`, {
    kind: "conflict",
    hint: "Try again when nothing writes to it.",
  });
}

/** An upload that is used up has gone by itself. */
export function ignoreGone(error: unknown): void {
  if (!(error instanceof ProductError) || error.code !== "upload_not_found") throw error;
}
