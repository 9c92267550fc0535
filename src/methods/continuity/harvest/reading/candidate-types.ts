/** What can be taken from an answer; words only, so that the tables load no reading. */

export const CANDIDATE_TYPES = ["task", "decision", "highlight"] as const;
export type CandidateType = (typeof CANDIDATE_TYPES)[number];
