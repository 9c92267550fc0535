/**
 * Workflows that were read lately, by the hash of their source. Reading is a pure function of the source, so one
 * cache serves every workspace of the process.
 */

import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { type CheckedWorkflow, checkWorkflow } from "../workflow/check-workflow.ts";
import { hashSource } from "./workflow-versions.ts";

interface Kept {
  readonly checked: CheckedWorkflow;
  /** Of the source: what it costs to keep is about in proportion. */
  readonly characters: number;
}

const MOST_KEPT = 200;
const MOST_CHARACTERS = 8_000_000;
const kept = new Map<string, Kept>();
let characters = 0;

export function readSource(source: string): CheckedWorkflow {
  const hash = hashSource(source);
  return recall(hash) ?? keep(hash, source);
}

/** `fetch` is asked for the source only when it is not known. */
export function* readKept(
  sourceHash: string,
  fetch: () => DatabaseWork<string>,
): DatabaseWork<CheckedWorkflow> {
  return recall(sourceHash) ?? keep(sourceHash, yield* fetch());
}

function recall(sourceHash: string): CheckedWorkflow | undefined {
  const known = kept.get(sourceHash);
  if (known === undefined) return undefined;
  kept.delete(sourceHash);
  kept.set(sourceHash, known);
  return known.checked;
}

/** Those not asked for longest are forgotten first. */
function keep(sourceHash: string, source: string): CheckedWorkflow {
  const checked = checkWorkflow(source);
  kept.set(sourceHash, { checked, characters: source.length });
  characters += source.length;
  for (const [hash, old] of kept) {
    if (kept.size <= MOST_KEPT && characters <= MOST_CHARACTERS) break;
    kept.delete(hash);
    characters -= old.characters;
  }
  return checked;
}
