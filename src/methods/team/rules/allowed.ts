/** The ids that are valid in one call: exactly those its envelope shows. Kept with the envelope and with the reply. */

import type { Step } from "../state/team-records.ts";

export interface Allowed {
  /** What a trace may lead to. */
  readonly refs: readonly string[];
  readonly members: readonly string[];
  readonly operatives: readonly string[];
  readonly objectives: readonly string[];
  readonly products: readonly string[];
  /** Products that may hold others. */
  readonly parents: readonly string[];
  readonly decisions: readonly string[];
  readonly assignable: readonly string[];
  readonly acceptable: readonly string[];
  readonly versions: readonly string[];
  readonly collabs: readonly string[];
  readonly directives: readonly string[];
  /** Criteria of definitions of done: `p3.1`, `v12.2`. */
  readonly criteria: readonly string[];
  readonly deltas: readonly string[];
  readonly speakers: readonly string[];
  /** How many products may still be added. */
  readonly room: number;
  readonly lastRound: number;
}

export const NOTHING_ALLOWED: Allowed = {
  refs: [],
  members: [],
  operatives: [],
  objectives: [],
  products: [],
  parents: [],
  decisions: [],
  assignable: [],
  acceptable: [],
  versions: [],
  collabs: [],
  directives: [],
  criteria: [],
  deltas: [],
  speakers: [],
  room: 0,
  lastRound: 0,
};

/** One call to one member, as far as the rules are concerned. */
export interface StepCall {
  readonly step: Step;
  readonly round: number;
  readonly memberId: string;
  /** The directive that is written for, the version that is reviewed. */
  readonly target: string | null;
  readonly allowed: Allowed;
  readonly exchangeId: string | null;
}
