/** Why a prompt says what it says, on a terminal: each part that was considered, where it came from, and why it is in or out. */

import { isId } from "../../kernel/base/ids.ts";
import { explainRow, type LedgerRow } from "../../kernel/prompt/ledger.ts";
import type { SourceRef } from "../../kernel/prompt/part.ts";
import type { PromptTrace } from "../../kernel/prompt/prompt-trace.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { groupDigits, table } from "../../kernel/operation/terminal-text.ts";

const MOST_SOURCES = 6;

/** Undefined for a trace of a method's own, which keeps no ledger. */
export function traceTable(trace: unknown): string | undefined {
  if (!hasLedger(trace)) return undefined;
  const columns = [
    { title: "" },
    { title: "PART", width: 28 },
    { title: "CHARACTERS", align: "right" as const },
    { title: "FROM", width: 60 },
    { title: "WHY", width: 60 },
  ];
  const rows = trace.ledger.map((row) => [
    row.outcome,
    row.part === row.layer ? row.part : `${row.layer}: ${row.part}`,
    row.characters === undefined ? "" : groupDigits(row.characters),
    sourcesOf(row, trace.refs),
    explainRow(row),
  ]);
  return table(columns, rows);
}

function hasLedger(trace: unknown): trace is Pick<PromptTrace, "ledger" | "refs"> {
  if (typeof trace !== "object" || trace === null) return false;
  const { ledger, refs } = trace as Partial<PromptTrace>;
  return Array.isArray(ledger) && Array.isArray(refs) && ledger.length > 0;
}

/** The part's own source first, then what was put into its places. */
function sourcesOf({ part, ref }: LedgerRow, refs: PromptTrace["refs"]): string {
  const shown = refs.filter((each) => each.part === part).map((each) => sourceText(each.ref));
  const all = [...new Set([...(ref === undefined ? [] : [sourceText(ref)]), ...shown])];
  const more = all.length - MOST_SOURCES;
  return [...all.slice(0, MOST_SOURCES), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Which field of a thing it was says less than a list of them takes. */
function sourceText({ type, id, field }: SourceRef): string {
  const name = isId(id) ? shortId(id) : id;
  if (type === "prompt" || type === "value") return name;
  return type === "step" && field !== undefined ? `step ${name}.${field}` : `${type} ${name}`;
}
