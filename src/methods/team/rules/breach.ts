/** What a gate says when it stays shut. The codes are permanent: refusals are kept under them. */

export const BREACHES = {
  team_id_unknown: "names something that was not shown to the member",
  team_tree_broken: "would leave the products no tree",
  team_composition: "puts a product where its type may not be",
  team_product_duplicate: "is a product that its parent has already",
  team_comment_duplicate: "says what another comment on the product says",
  team_finding_duplicate: "says what another finding on the product says",
  team_product_closed: "changes a product that is accepted or removed",
  team_too_many_products: "adds more products than the team may have",
  team_assignment_repeated: "gives a product out twice in one round",
  team_assignee_not_operative: "gives work to somebody who does not do such work",
  team_write_unassigned: "writes what the member was not assigned",
  team_version_repeated: "is a second version for one assignment",
  team_version_same: "is the version that is there already",
  team_trace_missing: "carries no trace that leads anywhere",
  team_unanswered: "leaves a comment or directive without an answer",
  team_acceptance_refused: "accepts what is not ready",
  team_envoy_uncited: "cites nothing that happened in this round",
  team_envoy_unfounded: "says what the cited changes do not say",
  team_persona_missing: "gives a member no persona, or two",
  team_objective_missing: "leaves an objective out of the assessment",
  team_inspection_missing: "leaves a new version without an inspection",
  team_reply_unreadable: "could not be read at all",
} as const;

export type BreachCode = keyof typeof BREACHES;

export interface Breach {
  readonly code: BreachCode;
  /** A clause that goes on from the place: "names p9, which …". */
  readonly message: string;
  /** Where in the reply: `["actions", 1]`. */
  readonly path: readonly (string | number)[];
  readonly item: unknown;
}

export function breach(code: BreachCode, message: string): Omit<Breach, "path" | "item"> {
  return { code, message };
}
