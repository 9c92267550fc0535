/** Cuts a file of any size into its lines, each with its place; ends may be LF or CR LF. */

import { openByteWindow } from "./byte-window.ts";
import { type CutRecord, type Fault, faultAt, RECORD_LIMITS, type RecordLimits } from "./record.ts";

const NEWLINE = 10;
const RETURN = 13;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The line's bytes are without its end, and valid until the next line is asked for. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes }: Pick<RecordLimits, "maxBytes"> = RECORD_LIMITS,
): AsyncGenerator<CutRecord | Fault, void> {
  const window = openByteWindow(chunks);
  let line = 1;
  let offset = 0;
  let isOpen = true;
  while (isOpen) {
    const start = offset;
    let searched = offset;
    let end: number | undefined;
    let skipped = false;
    while (end === undefined) {
      const found = window.bytes.indexOf(NEWLINE, searched - window.start);
      if (found !== -1) end = window.start + found;
      else {
        searched = window.end;
        if (searched - start > maxBytes) {
          skipped = true;
          window.release(searched);
        }
        if (!(await window.fill())) break;
      }
    }
    isOpen = end !== undefined;
    const stop = end ?? window.end;
    if (stop - start > maxBytes || skipped)
      yield tooLong({ offset: start, line }, stop - start, maxBytes);
    else if (stop > start || isOpen) {
      yield {
        kind: "record",
        offset: start,
        line,
        bytes: trimmed(window.bytes.subarray(start - window.start, stop - window.start), start),
      };
    }
    offset = stop + 1;
    line += 1;
    if (isOpen) window.release(offset);
  }
}

function trimmed(bytes: Buffer, offset: number): Buffer {
  const from = offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  const to = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length;
  return bytes.subarray(from, to);
}

function tooLong(place: { offset: number; line: number }, bytes: number, maxBytes: number): Fault {
  return faultAt(
    place,
    "record_too_large",
    `The line has ${bytes} bytes; at most ${maxBytes} are read.`,
  );
}
