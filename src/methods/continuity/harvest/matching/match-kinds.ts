/** What a candidate may be to what the project has already; words only, so that the tables load no matching. */

export const MATCH_KINDS = ["new", "duplicate", "update", "contradicts"] as const;
export type MatchKind = (typeof MATCH_KINDS)[number];
