/** One kind of fault of a provider: what it sends, and how the call may end. */

import type { ServerResponse } from "node:http";
import { type Brand, wireReply } from "../../../src/adapters/ai-sdk/wire-server.suite.ts";
import type { ModelFailure } from "../../../src/kernel/model/model-error.ts";

export const PIECES = ["The import ", "takes fünf Tage, ", "五天 🧪."];
export const TEXT = PIECES.join("");

/** How a call may end: whole, or not whole for one of these reasons. */
export type Ending = "whole" | "length" | "content_filter" | "unknown" | "tool" | ModelFailure;

export interface Fault {
  readonly kind: string;
  readonly answer: (response: ServerResponse, brand: Brand) => unknown;
  readonly ends: readonly Ending[];
  /** What a whole reply says, where that is not the usual text. */
  readonly text?: string;
  /** The address is taken away, or spoken to in TLS, before the call. */
  readonly address?: "nobody" | "tls";
  readonly retryAfterMs?: readonly [number, number] | "none";
  readonly retryable?: boolean;
}

/** A reply that has begun and not ended. */
export function begun(brand: Brand): string {
  return wireReply(brand, PIECES.slice(0, 2), "none");
}

/** Writes for as long as anybody listens. */
export async function pour(response: ServerResponse, piece: string): Promise<void> {
  while (!response.destroyed) {
    if (!response.write(piece)) {
      await Promise.race([
        new Promise((resolve) => response.once("drain", resolve)),
        new Promise((resolve) => response.once("close", resolve)),
      ]);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
