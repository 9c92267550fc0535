/** Forgets the words of a harvest that holds what is redacted. What was accepted of it stays; the hash stays, too. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { REDACTION_MARK } from "../../../kernel/store/redacted-text.ts";
import { type Harvest, listCandidates, tellHarvest, updateCandidate } from "./harvests.ts";

export function* purgeHarvest(id: string, act: Act): DatabaseWork<Harvest> {
  for (const { number, title } of yield* listCandidates(id)) {
    yield* updateCandidate(id, number, {
      title: title === undefined ? null : REDACTION_MARK,
      body: "",
      quote: REDACTION_MARK,
      replaces: null,
      // With the words that an update replaced goes the way back.
      undo: null,
    });
  }
  return yield* tellHarvest(id, "purged", act, { answer: null, purged_at: act.now });
}

export function refusePurged({ id, purgedAt }: Harvest): void {
  if (purgedAt === undefined) return;
  throw new ProductError("harvest_purged", "The words of this harvest were purged.", {
    kind: "conflict",
    hint: "They held something that was redacted. Harvest the answer again without it.",
    details: { id, purgedAt },
  });
}
