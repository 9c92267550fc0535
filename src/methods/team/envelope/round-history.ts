/** What happened so far, a line a round: counted, not retold. Old rounds share a line, so it does not grow. */

import type { Draft } from "../rules/draft.ts";

const ROUNDS_APART = 4;

export function roundHistory(draft: Draft): readonly string[] {
  const last = draft.round - 1;
  const lines: string[] = [];
  for (let round = last; round >= 1 && round > last - ROUNDS_APART; round -= 1) {
    lines.push(`Round ${round}: ${countsOf(draft, round, round)}`);
  }
  const older = last - ROUNDS_APART;
  if (older >= 1) lines.push(`Rounds 1 to ${older}: ${countsOf(draft, 1, older)}`);
  return lines;
}

export function countsOf(draft: Draft, from: number, to: number): string {
  const within = <Item extends { readonly round: number }>(list: readonly Item[]) =>
    list.filter(({ round }) => round >= from && round <= to);
  const actions = within(draft.list("actions"));
  const verdicts = within(draft.list("inspections"));
  const told = [
    counted(within(draft.list("versions")), "version written", "versions written"),
    counted(
      actions.filter(({ action }) => action === "add"),
      "product added",
      "products added",
    ),
    counted(
      actions.filter(({ action }) => action === "accept"),
      "accepted",
    ),
    counted(
      actions.filter(({ action }) => action === "reject"),
      "sent back",
    ),
    counted(within(draft.list("collabs")), "comment", "comments"),
    counted(
      verdicts.filter(({ verdict }) => verdict !== "approved"),
      "inspection not approved",
      "inspections not approved",
    ),
    counted(within(draft.list("refusals")), "item refused", "items refused"),
  ].filter((line) => line !== undefined);
  return told.length === 0 ? "nothing changed" : told.join(", ");
}

function counted(list: readonly unknown[], one: string, many = one): string | undefined {
  return list.length === 0 ? undefined : `${list.length} ${list.length === 1 ? one : many}`;
}
