/**
 * Takes a whole harvest back: what it made is deleted, what it changed says again what it said, what it put to rest
 * is in force again. Where anything of it has changed since, nothing happens, and what changed is named.
 */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import type { PacketStatus } from "../packet/packet-tables.ts";
import { type Candidate, type Made, UNDECIDED } from "./candidates.ts";
import { readThoughts } from "./existing-thoughts.ts";
import { type Harvest, listCandidates, tellHarvest, updateCandidate } from "./harvests.ts";
import type { ExistingRef } from "./matching/match-candidate.ts";
import { movePacketAlong } from "./packet-standing.ts";
import { refusePurged } from "./purge-harvest.ts";
import { contentHashOf } from "./thought-content.ts";
import { supersededBy, takeBack } from "./write-thought.ts";

export interface Undone {
  readonly harvest: Harvest;
  readonly takenBack: readonly Made[];
  /** Deleted by somebody in the meantime. */
  readonly gone: readonly ExistingRef[];
  readonly packetStatus: PacketStatus | undefined;
}

export function* undoHarvest(harvest: Harvest, act: Act): DatabaseWork<Undone> {
  refusePurged(harvest);
  const candidates = yield* listCandidates(harvest.id);
  const made = candidates.flatMap((candidate) => candidate.made ?? []).toReversed();
  if (made.length === 0) throw nothingToUndo(harvest.id);
  const takenBack: Made[] = [];
  const gone: ExistingRef[] = [];
  const changed: Changed[] = [];
  for (const each of made) {
    const trouble = yield* undoOne(each, act);
    if (trouble === undefined) takenBack.push(each);
    else if (trouble === "gone") gone.push({ type: each.type, id: each.id });
    else changed.push({ ...trouble, title: yield* titleOf(trouble, harvest.projectId) });
  }
  if (changed.length > 0) throw changedSince(harvest.id, changed);
  yield* forget(harvest.id, candidates);
  const after = yield* tellHarvest(harvest.id, "undone", act, { undone_at: act.now });
  const { packetId } = harvest;
  const packetStatus =
    packetId === undefined ? undefined : yield* movePacketAlong(packetId, act, { isUndo: true });
  return { harvest: after, takenBack, gone, packetStatus };
}

interface Changed extends ExistingRef {
  readonly why: string;
  readonly title?: string | undefined;
}

/** From the last to the first, so that what was changed twice is put back twice. */
function* undoOne(made: Made, act: Act): DatabaseWork<Changed | "gone" | undefined> {
  const { type, id, outcome, hash } = made;
  if (outcome === "linked") return undefined;
  const now = yield* contentHashOf({ type, id });
  if (now === undefined) return "gone";
  if (now !== hash) return { type, id, why: "has changed since" };
  const old = supersededBy(made);
  if (old !== undefined) {
    const ref = { type: "decision" as const, id: old.id };
    if ((yield* contentHashOf(ref)) !== old.hash) return { ...ref, why: "has changed since" };
  }
  try {
    yield* takeBack(made, act);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProductError) || error.kind !== "conflict") throw error;
    return { type, id, why: `is built on: ${error.message}` };
  }
}

function* titleOf(
  ref: ExistingRef,
  projectId: string | undefined,
): DatabaseWork<string | undefined> {
  const thought = (yield* readThoughts([ref], projectId)).get(ref.id);
  return thought === undefined || thought.title === "" ? thought?.text.slice(0, 60) : thought.title;
}

function* forget(harvestId: string, candidates: readonly Candidate[]): DatabaseWork<void> {
  for (const { number, status } of candidates) {
    if (status !== "proposed") yield* updateCandidate(harvestId, number, UNDECIDED);
  }
}

function nothingToUndo(id: string): ProductError {
  return new ProductError("harvest_not_accepted", "Nothing of this harvest was accepted.", {
    kind: "conflict",
    hint: "There is nothing to take back.",
    details: { id },
  });
}

function changedSince(id: string, changed: readonly Changed[]): ProductError {
  const named = changed.map(
    ({ type, title, id: each, why }) => `${type} “${title ?? each}” ${why}`,
  );
  return new ProductError(
    "harvest_changed_since",
    `The harvest cannot be taken back: ${named.join("; ")}.`,
    {
      kind: "conflict",
      hint: "Put these back as they were, or leave the harvest as it is. Nothing was changed.",
      details: { id, changed },
    },
  );
}
