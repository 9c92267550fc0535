/** Thoughts that somebody wants in a packet: refused with the reason where they cannot be in it. */

import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { findWithheld, type ThoughtType } from "../../../kernel/store/withheld-sources.ts";
import { toTaskCandidate } from "./candidate-reads.ts";
import { standingOf } from "./importance.ts";
import { type GatherContext, idsOf, pinRefused } from "./packet-context.ts";
import type { HighlightCandidate, TaskCandidate } from "./select-thoughts.ts";

export function* readPinnedTasks(
  projectId: string,
  context: GatherContext,
): DatabaseWork<readonly TaskCandidate[]> {
  const pins = idsOf(context.pins, "task");
  if (pins.size === 0) return [];
  const rows = yield* query(
    db
      .selectFrom("task")
      .select(["id", "status", "has_blocker", "has_open_loop", "is_pressing", "created_at"])
      .select(["project_id", "is_inactive"])
      .where("id", "in", [...pins]),
  );
  for (const pin of context.pins) {
    if (pin.type !== "task") continue;
    const row = rows.find(({ id }) => id === pin.id);
    if (row?.project_id !== projectId) throw pinRefused(pin, "it is not in this project");
    if (row.is_inactive === 1) throw pinRefused(pin, "it is archived");
    if (standingOf(toTaskCandidate(row)) === undefined)
      throw pinRefused(pin, `it is ${row.status}`);
  }
  yield* refuseWithheld("task", context);
  return rows.map(toTaskCandidate);
}

export function* readPinnedThoughts(
  type: "decision" | "highlight",
  projectId: string,
  context: GatherContext,
): DatabaseWork<readonly HighlightCandidate[]> {
  const pins = idsOf(context.pins, type);
  if (pins.size === 0) return [];
  const rows = yield* query(
    db
      .selectFrom("project_thought")
      .select(["thought_id", "is_labelled", "created_at"])
      .where("project_id", "=", projectId)
      .where("kind", "=", type)
      .where("thought_id", "in", [...pins]),
  );
  for (const pin of context.pins) {
    if (pin.type !== type || rows.some(({ thought_id }) => thought_id === pin.id)) continue;
    throw pinRefused(pin, "it is archived, or not in this project");
  }
  yield* refuseWithheld(type, context);
  return rows.map(({ thought_id, is_labelled, created_at }) => ({
    id: thought_id,
    isLabelled: is_labelled === 1,
    createdAt: created_at,
  }));
}

function* refuseWithheld(type: ThoughtType, { pins, scope }: GatherContext): DatabaseWork<void> {
  const withheld = yield* findWithheld(type, [...idsOf(pins, type)], scope);
  const pin = pins.find((wish) => wish.type === type && withheld.has(wish.id));
  if (pin !== undefined) throw pinRefused(pin, "it is redacted");
}
