/**
 * How the replies of several calls become one answer, where a method knows more about it than that they
 * are pieces of one text. All of it is pure: the same replies give the same answer after a crash.
 */

import type { Finish } from "./finish.ts";
import type { Reading, Refused } from "./reading.ts";

/** What a call was asked for: the rest of what stands, or all of it again without its faults. */
export type Asked = "continue" | "correct";

export interface ReplyAssembly {
  /** What stands once `next` has come to what stood before. */
  join(soFar: string, next: string, asked: Asked): Assembled;
  read(text: string, finish: Finish): Reading<unknown>;
  /** The user's turn that asks for the next call. */
  ask(asked: Asked, text: string, refusal: Refused): string;
}

export interface Assembled {
  readonly text: string;
  /** False when nothing was taken of what came: after two such calls a third is not made. */
  readonly progressed: boolean;
}
