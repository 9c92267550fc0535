/**
 * What highlights and decisions have in common: they belong to a project directly or through their conversation, so
 * every write of one locks the links of its conversation first and places it anew after.
 */

import {
  type Act,
  type AuditedTable,
  checkVersion,
  deleteAudited,
  getForChange,
  insertAudited,
  updateAudited,
} from "./audited-rows.ts";
import { onlyProjectOf } from "./conversations.ts";
import type { DatabaseWork } from "./database-work.ts";
import { lockLinks, type PlacedThought, placeThought, removeThought } from "./project-thoughts.ts";

export interface PlacedNoun<Row extends PlacedRow, Thought> {
  readonly kind: PlacedThought["kind"];
  readonly table: AuditedTable<Row>;
  readonly toThought: (row: Row) => Thought;
}

interface PlacedRow {
  readonly id: string;
  readonly version: number;
  readonly project_id: string | null;
  readonly conversation_id: string | null;
  row_hash: string;
}

export function* insertPlaced<Row extends PlacedRow, Thought>(
  noun: PlacedNoun<Row, Thought>,
  row: Omit<Row, "row_hash"> & Omit<PlacedRow, "row_hash">,
  act: Act,
): DatabaseWork<Thought> {
  if (row.conversation_id !== null) yield* lockLinks(row.conversation_id);
  const inserted = yield* insertAudited(noun.table, row, act, yield* eventPlace(row));
  yield* placeThought({ kind: noun.kind, id: row.id });
  return noun.toThought(inserted);
}

export interface PlacedChange {
  readonly verb?: string;
  readonly expectedVersion?: number | undefined;
}

export function* changePlaced<Row extends PlacedRow, Thought>(
  noun: PlacedNoun<Row, Thought>,
  id: string,
  cells: Partial<Row>,
  act: Act,
  { verb, expectedVersion }: PlacedChange,
): DatabaseWork<Thought> {
  const before = yield* getForChange(noun.table, id);
  checkVersion(noun.kind, before, expectedVersion);
  if (before.conversation_id !== null) yield* lockLinks(before.conversation_id);
  const { projectId } = yield* eventPlace({ ...before, ...cells });
  const after = yield* updateAudited(noun.table, before, cells, act, { projectId, verb });
  yield* placeThought({ kind: noun.kind, id });
  return noun.toThought(after);
}

/** `refuse` says why it has to stay, by throwing. */
export function* deletePlaced<Row extends PlacedRow, Thought>(
  noun: PlacedNoun<Row, Thought>,
  id: string,
  act: Act,
  expectedVersion: number | undefined,
  refuse: () => DatabaseWork<void>,
): DatabaseWork<void> {
  const before = yield* getForChange(noun.table, id);
  checkVersion(noun.kind, before, expectedVersion);
  yield* refuse();
  yield* removeThought(id);
  yield* deleteAudited(noun.table, before, act, yield* eventPlace(before));
}

function* eventPlace(
  row: Pick<PlacedRow, "project_id" | "conversation_id">,
): DatabaseWork<{ projectId: string | null }> {
  return { projectId: row.project_id ?? (yield* onlyProjectOf(row.conversation_id)) };
}
