/**
 * Gives SQLite's write-ahead log its full size before it is needed. A log that grows makes the file system write its
 * own records with every commit: the first thousands of commits take a quarter longer than those that find room.
 *
 * Beyond the last commit a log may hold anything: SQLite knows its own pages by their checksums, and after every
 * checkpoint what follows is what was written before. Zeros are as good as that.
 */

import { closeSync, fdatasyncSync, fstatSync, openSync, writeSync } from "node:fs";

/**
 * Linux keeps in memory as one what was written in one go, and goes through all blocks of that with every page that is
 * written there later: with a megabyte a page of a commit costs twice the processor.
 */
const PIECE = new Uint8Array(1 << 16);

/** Only with the write lock in hand: whoever writes meanwhile would find their pages overwritten. */
export function growLog(path: string, bytes: number): void {
  const file = openSync(`${path}-wal`, "r+");
  try {
    const { size } = fstatSync(file);
    for (let at = size; at < bytes; at += PIECE.length) writeSync(file, PIECE, 0, PIECE.length, at);
    if (size < bytes) fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
