import { useDelayed } from "../../data/use-delayed.ts";
import { useOperation } from "../../data/use-operation.ts";
import { count } from "../../parts/format.ts";
import { type LedgerRow, thoughtOf } from "./packet-ledger.tsx";
import type { Request } from "./packet-request.ts";

/** What a little less and a little more room would change: found by compiling both. */
export function BudgetHint({
  request,
  budget,
  ledger,
}: {
  readonly request: Request | undefined;
  readonly budget: number;
  readonly ledger: readonly LedgerRow[];
}) {
  const calm = useDelayed(request, 400);
  const [less, more] = [rounded(budget * 0.8), rounded(budget * 1.25)];
  const below = useOperation("packet.preview", calm && { ...calm, budget: less }).data?.ledger;
  const above = useOperation("packet.preview", calm && { ...calm, budget: more }).data?.ledger;
  const goes = lost(ledger, below);
  const comes = lost(above ?? [], above && ledger);
  const sentences = [
    goes.length === 0
      ? `Nothing would go at ${count(less)}.`
      : `At ${count(less)} ${named(goes)} would go.`,
    comes.length === 0 ? "" : `At ${count(more)} ${named(comes)} would fit.`,
  ];
  const isKnown = below !== undefined && above !== undefined;
  return <div className="micro muted budget-hint">{isKnown ? sentences.join(" ") : ""}</div>;
}

function rounded(budget: number): number {
  return Math.max(500, Math.round(budget / 100) * 100);
}

/** What one has in and the other has not. */
function lost(has: readonly LedgerRow[], hasNot: readonly LedgerRow[] | undefined): LedgerRow[] {
  if (hasNot === undefined) return [];
  const name = (row: LedgerRow) => `${row.section} ${thoughtOf(row) ?? row.title ?? ""}`;
  const kept = new Set(hasNot.filter(({ outcome }) => outcome === "in").map(name));
  return has.filter((row) => row.outcome === "in" && !kept.has(name(row)));
}

function named(rows: readonly LedgerRow[]): string {
  const [first, ...rest] = rows;
  const title = `“${clip(first?.title ?? first?.section ?? "")}”`;
  return rest.length === 0 ? title : `${title} and ${rest.length} more`;
}

function clip(title: string): string {
  return title.length <= 40 ? title : `${title.slice(0, 39).trimEnd()}…`;
}
