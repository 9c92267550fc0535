/** What readers cut a file into: pieces that can be read on their own, and places where that was not possible. */

export interface Place {
  /** Of the first byte, counted from the beginning of the file. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
}

/** Valid only until the next piece is asked for: the bytes are a view of what is read next. */
export interface CutRecord extends Place {
  readonly kind: "record";
  readonly bytes: Buffer;
}

export interface Fault extends Place {
  readonly kind: "fault";
  /** Stable, snake_case. */
  readonly code: string;
  readonly message: string;
}

export function faultAt({ offset, line }: Place, code: string, message: string): Fault {
  return { kind: "fault", offset, line, code, message };
}

export interface RecordLimits {
  /** A record with more is reported and passed over, without being held in memory. */
  readonly maxBytes: number;
  readonly maxDepth: number;
}

export const RECORD_LIMITS: RecordLimits = { maxBytes: 64 * 1024 * 1024, maxDepth: 128 };
