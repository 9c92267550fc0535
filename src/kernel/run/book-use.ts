/** What a call used, booked on its run, its project and the day. */

import type { EngineTransaction } from "./engine-transaction.ts";
import type { NewAnswer } from "./exchanges.ts";
import type { RunDraft } from "./run-drafts.ts";

export function bookUse(
  { spend }: EngineTransaction,
  run: RunDraft | undefined,
  answer: NewAnswer,
): void {
  if (!run) return;
  const tokens = (answer.inputTokens ?? 0) + (answer.outputTokens ?? 0);
  run.turns += 1;
  run.inputTokens += answer.inputTokens ?? 0;
  run.outputTokens += answer.outputTokens ?? 0;
  run.costMicroUsd += answer.costMicroUsd ?? 0;
  run.hasUnknownCost ||= answer.costMicroUsd === null;
  run.isChanged = true;
  spend.add(run, { microUsd: answer.costMicroUsd ?? 0, tokens });
}
