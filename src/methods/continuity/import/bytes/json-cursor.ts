/** Walks over the bytes of a JSON file: looks at bytes, skips blanks, finds where values end. Offsets count from its beginning. */

import { type ByteWindow, openByteWindow } from "./byte-window.ts";
import { beginScan, isBlank, type JsonValueScan, scanOn } from "./json-value-scan.ts";
import type { Place, RecordLimits } from "./record.ts";

export interface JsonCursor {
  byteAt(offset: number): Promise<number | undefined>;
  /** The first byte from here on that is not blank. */
  skipBlank(offset: number): Promise<number>;
  /** Reads on until the value ends, the stream ends, or more than `most` bytes were seen, by itself a record's. */
  scan(offset: number, most?: number): Promise<ScanEnd>;
  /** Goes to the end of a value too large to keep; false when the stream ends before it. */
  skipRest(scan: JsonValueScan): Promise<boolean>;
  /** Bytes that are in memory: nothing before what was released, nothing that was not looked at. */
  between(from: number, to: number): Buffer;
  placeOf(offset: number): Place;
  /** What lies before is not needed any more. */
  release(offset: number): void;
  /** Takes more in; false at the end of the stream. */
  readonly fill: ByteWindow["fill"];
  readonly end: () => number;
}

export interface ScanEnd {
  readonly scan: JsonValueScan;
  readonly kind: "whole" | "too large" | "cut off";
}

export function openJsonCursor(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes }: Pick<RecordLimits, "maxBytes">,
): JsonCursor {
  const window = openByteWindow(chunks);
  const byteAt = async (offset: number): Promise<number | undefined> => {
    while (offset >= window.end) if (!(await window.fill())) return undefined;
    return window.bytes[offset - window.start];
  };
  return {
    byteAt,
    async skipBlank(offset) {
      let at = offset;
      while (isBlank(await byteAt(at))) at += 1;
      return at;
    },
    async scan(offset, most = maxBytes) {
      const scan = beginScan(await byteAt(offset), offset);
      const stop = offset + most;
      for (;;) {
        if (scanOn(scan, window.bytes, { start: window.start, stop }))
          return { scan, kind: "whole" };
        if (scan.position >= stop && window.end >= stop) return { scan, kind: "too large" };
        if (scan.position < window.end || (await window.fill())) continue;
        return { scan, kind: scan.shape === "bare" ? "whole" : "cut off" };
      }
    },
    async skipRest(scan) {
      for (;;) {
        window.release(Math.min(scan.position, window.end));
        if (scanOn(scan, window.bytes, { start: window.start, stop: Infinity })) return true;
        if (!(await window.fill())) return false;
      }
    },
    between: (from, to) => window.bytes.subarray(from - window.start, to - window.start),
    placeOf: (offset) => ({ offset, line: window.lineAt(offset) }),
    release: (offset) => window.release(Math.min(offset, window.end)),
    fill: () => window.fill(),
    end: () => window.end,
  };
}
