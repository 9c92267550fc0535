import type { Output } from "../../api/operation.ts";
import { words } from "../../parts/format.ts";

/** A conversation as the reader has it. */
export type Talk = Output<"conversation.show">;
export type Said = Talk["messages"][number];

export function roleWords(role: Said["role"]): string {
  return role === "user" ? "You" : words(role);
}
