/** What a synthesis is made of, noted before it begins: enough to take it back, to do it again, or to see it was done. */

import { z } from "zod";

export const sessionPlanSchema = z.object({
  /** When finishing began; the same for every try, so that dates and file names stay. */
  at: z.number(),
  /** Where the history stood before. */
  operation: z.string(),
  onto: z.string(),
  bookmark: z.string(),
  /** Change ids, oldest first. */
  originals: z.array(z.string()),
  /** As soon as they are known. */
  changeId: z.string().optional(),
  duplicates: z.array(z.string()).optional(),
});

export type SessionPlan = z.output<typeof sessionPlanSchema>;

/** The bookmark that keeps originals and duplicates of a session alive. */
export function keptBookmark(sessionId: string): string {
  return `session/${sessionId}`;
}

/** Names the hand of a session in the operations of version control. */
export function handTag(sessionId: string): string {
  return `session-${sessionId}`;
}
