/** Who is called in a step, in which order, about what; or why nobody is. */

import { reflectedProducts, uninspectedVersions } from "../envelope/envelope-payloads.ts";
import { deltasOf } from "../rules/deltas.ts";
import type { Draft } from "../rules/draft.ts";
import type { Member, Step } from "../state/team-records.ts";
import type { Topology } from "../state/team-shape.ts";

export interface PlannedCall {
  readonly memberId: string;
  readonly target: string | null;
  /** A person does it, by the inbox. */
  readonly isPerson: boolean;
}

export type StepCalls = { readonly calls: readonly PlannedCall[] } | { readonly skipped: string };

export function callsOf(draft: Draft, step: Step): StepCalls {
  const calls = CALLS[step](draft);
  return typeof calls === "string" ? { skipped: calls } : { calls };
}

const CALLS: Readonly<Record<Step, (draft: Draft) => readonly PlannedCall[] | string>> = {
  bootstrap: (draft) => draft.membersOf("chair").map(({ id }) => call(id)),
  reflect: (draft) => {
    const members = draft
      .membersOf("operative")
      .filter(({ id, isPerson }) => !isPerson && reflectedProducts(draft, id).length > 0);
    return members.length === 0
      ? "No operative has anything to reflect on yet."
      : members.map(({ id }) => call(id));
  },
  plan_assign: (draft) => draft.membersOf("chair").map(({ id }) => call(id)),
  write: (draft) => {
    const due = draft.list("directives").filter((directive) => {
      const status = draft.find("products", directive.productId)?.status;
      return (
        directive.round === draft.round &&
        directive.state === "open" &&
        status !== "removed" &&
        status !== "accepted"
      );
    });
    if (due.length === 0) return "The chair assigned nothing.";
    return due.map(({ id, operativeId }) => {
      const isPerson = draft.find("members", operativeId)?.isPerson ?? false;
      return { memberId: operativeId, target: id, isPerson };
    });
  },
  peer_review: (draft) => {
    const operatives = draft.membersOf("operative").filter(({ isPerson }) => !isPerson);
    const versions = draft
      .list("versions")
      .filter(
        ({ round, productId }) =>
          round === draft.round && draft.find("products", productId)?.status !== "removed",
      );
    if (versions.length === 0) return "No version was written in this round.";
    const calls = versions.flatMap(({ id, authorId }) =>
      reviewersOf(draft.brief.topology, operatives, authorId).map((memberId) => call(memberId, id)),
    );
    return calls.length === 0 ? "There is no colleague to review." : calls;
  },
  inspect: (draft) => {
    if (uninspectedVersions(draft).length === 0) return "No version was written in this round.";
    return draft.membersOf("watchdog").map(({ id }) => call(id));
  },
  envoy: (draft) => {
    if (deltasOf(draft, draft.round).length === 0) return "Nothing changed in this round.";
    return draft.membersOf("envoy").map(({ id }) => call(id));
  },
};

/** After the author, round the circle: one in a ring, k, or everybody. */
export function reviewersOf(
  topology: Topology,
  operatives: readonly Pick<Member, "id">[],
  authorId: string,
): readonly string[] {
  const at = operatives.findIndex(({ id }) => id === authorId);
  const others = [...operatives.slice(at + 1), ...operatives.slice(0, Math.max(0, at))].map(
    ({ id }) => id,
  );
  const most = topology === "all" ? others.length : topology === "ring" ? 1 : topology.k;
  return others.slice(0, most);
}

function call(memberId: string, target: string | null = null): PlannedCall {
  return { memberId, target, isPerson: false };
}
