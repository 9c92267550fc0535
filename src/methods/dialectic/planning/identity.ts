/** What an artifact is, whatever it says: the step that makes it, and for whom. */

export interface Identity {
  readonly stage: string;
  readonly step: string;
  /** The slot that writes it, from 1. */
  readonly slot: number;
  /** The slot whose proposal it is about; null where it is about its own. */
  readonly lineage: number | null;
  /** The slot whose review of that proposal it answers; null where there is none. */
  readonly match: number | null;
}

/** Unique within a session, and the same for every version and iteration. */
export function identityKey({ stage, step, slot, lineage, match }: Identity): string {
  const about = lineage === null ? "" : `.l${lineage}`;
  return `${stage}/${step}/s${slot}${about}${match === null ? "" : `.m${match}`}`;
}

/** Stage and slot of an identity's key, or of a job's key, which begins with one. */
export function placeInKey(key: string): Pick<Identity, "stage" | "slot"> | undefined {
  const [, stage, slot] = /^([^/]+)\/[^/]+\/s(\d+)/.exec(key) ?? [];
  return stage === undefined ? undefined : { stage, slot: Number(slot) };
}

/** Whose proposal something belongs to: a proposal is its own. */
export function lineageOf({ slot, lineage }: Pick<Identity, "slot" | "lineage">): number {
  return lineage ?? slot;
}

/** A, B, … Z, AA: what prompts call a slot, so that no model is told who wrote what. */
export function letterOf(slot: number): string {
  let letters = "";
  for (let left = slot; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return letters;
}
