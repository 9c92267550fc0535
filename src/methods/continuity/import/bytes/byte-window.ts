/** A stream of bytes of which the part still being looked at is in memory. Offsets count from the stream's beginning. */

export interface ByteWindow {
  /** The bytes in hand; a view that the next `fill` replaces. */
  readonly bytes: Buffer;
  /** Offset of the first byte in hand. */
  readonly start: number;
  /** Offset after the last byte in hand. */
  readonly end: number;
  /** Takes more in; false when the stream has ended. */
  fill(): Promise<boolean>;
  /** Bytes before this offset are not needed any more. */
  release(offset: number): void;
  /** The line, from 1, in which this offset lies. Ask in growing order. */
  lineAt(offset: number): number;
}

const NEWLINE = 10;
const SMALLEST = 64 * 1024;
const LARGE = 4 * 1024 * 1024;

export function openByteWindow(chunks: AsyncIterable<Uint8Array>): ByteWindow {
  const source = chunks[Symbol.asyncIterator]();
  let store = Buffer.allocUnsafe(SMALLEST);
  let from = 0;
  let to = 0;
  let start = 0;
  let line = 1;
  let lineOffset = 0;
  let view = store.subarray(0, 0);

  const countLines = (offset: number): void => {
    if (offset <= lineOffset) return;
    // Only what is asked for is searched: a file of one line would be searched to its end each time.
    const part = view.subarray(lineOffset - start, offset - start);
    for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) line += 1;
    lineOffset = offset;
  };

  const makeRoom = (length: number): void => {
    if (to + length <= store.length) return;
    const kept = to - from;
    const needed = kept + length;
    // Growing by shares keeps the copying of a long record linear.
    moveTo(needed <= store.length / 2 ? store : Buffer.allocUnsafe(roomFor(needed)));
  };

  const moveTo = (target: typeof store): void => {
    store.copy(target, 0, from, to);
    store = target;
    to -= from;
    from = 0;
  };

  return {
    get bytes() {
      return view;
    },
    get start() {
      return start;
    },
    get end() {
      return start + view.length;
    },
    async fill() {
      for (;;) {
        const { done, value } = await source.next();
        if (done) return false;
        if (value.length === 0) continue;
        makeRoom(value.length);
        store.set(value, to);
        to += value.length;
        view = store.subarray(from, to);
        return true;
      }
    },
    release(offset) {
      if (offset <= start) return;
      countLines(offset);
      from += offset - start;
      start = offset;
      // One huge record must not leave its room behind for the rest of the file.
      const kept = to - from;
      if (store.length > LARGE && kept < store.length / 16)
        moveTo(Buffer.allocUnsafe(roomFor(kept)));
      view = store.subarray(from, to);
    },
    lineAt(offset) {
      countLines(offset);
      return line;
    },
  };
}

function roomFor(needed: number): number {
  return Math.max(SMALLEST, needed + Math.max(needed, LARGE) / 2);
}
