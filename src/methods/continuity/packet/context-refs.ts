/** What of the project a prompt really shows: each thing once, with every place at which it is shown. */

import type { CompiledPrompt } from "../../../kernel/prompt/compiled-prompt.ts";

export const CONTEXT_TYPES = [
  "project",
  "task",
  "decision",
  "highlight",
  "conversation",
  "message",
] as const;
export type ContextType = (typeof CONTEXT_TYPES)[number];

export interface ContextRef {
  readonly type: ContextType;
  readonly id: string;
  /** Absent for what is not scored: projects, conversations, messages. */
  readonly score?: number;
  /** Offsets in the text, in UTF-16 units as JavaScript counts them. */
  readonly ranges: readonly TextRange[];
}

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** In the order in which they first appear. */
export function contextRefsOf({ refs }: Pick<CompiledPrompt, "refs">): readonly ContextRef[] {
  const found = new Map<string, ContextRef>();
  for (const { ref, score, start, end } of refs) {
    if (!isContextType(ref.type)) continue;
    const key = `${ref.type}:${ref.id}`;
    const known = found.get(key);
    found.set(key, {
      type: ref.type,
      id: ref.id,
      ...(score === undefined ? {} : { score }),
      ranges: [...(known?.ranges ?? []), { start, end }],
    });
  }
  return [...found.values()];
}

export function isContextType(type: string): type is ContextType {
  const types: readonly string[] = CONTEXT_TYPES;
  return types.includes(type);
}
