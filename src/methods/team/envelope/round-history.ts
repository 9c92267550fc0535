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
  const counts: readonly (readonly [number, string])[] = [
    [within(draft.list("versions")).length, "versions written"],
    [actions.filter(({ action }) => action === "add").length, "products added"],
    [actions.filter(({ action }) => action === "accept").length, "accepted"],
    [actions.filter(({ action }) => action === "reject").length, "sent back"],
    [within(draft.list("collabs")).length, "comments"],
    [verdicts.filter(({ verdict }) => verdict !== "approved").length, "inspections not approved"],
    [within(draft.list("refusals")).length, "items refused"],
  ];
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return told.length === 0 ? "nothing changed" : told.join(", ");
}
