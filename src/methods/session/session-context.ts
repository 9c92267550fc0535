/** What an agent made of the prompt, as the session's commit tells it. */

import type { Session } from "./sessions.ts";

type Words = Pick<Session, "interpretation" | "strategy" | "constraints">;

export function contextText({ interpretation, strategy, constraints }: Words): string {
  const parts = [
    interpretation.trim(),
    ...(strategy.trim() === "" ? [] : [`Strategy: ${strategy.trim()}`]),
    ...(constraints.length === 0
      ? []
      : [`Constraints:\n${constraints.map((each) => `- ${each.trim()}`).join("\n")}`]),
  ];
  return parts.join("\n\n");
}
