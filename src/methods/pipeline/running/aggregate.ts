/** What a join brings together: results in the order of the items, or of the edges as they are drawn. */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import { type DatabaseWork, query } from "../../../kernel/store/database-work.ts";
import type { RunContext } from "./run-context.ts";
import { running, type StepVisitTable } from "./run-tables.ts";
import { outputsOf } from "./scope-values.ts";

export function* aggregatedOf(run: RunContext, join: StepVisitTable): DatabaseWork<JsonObject> {
  const sources = JSON.parse(join.sources) as readonly string[];
  const visits = yield* query(
    running
      .selectFrom("step_visit")
      .select(["id", "kind", "step", "outcome"])
      .where("id", "in", [...sources, ""]),
  );
  const container = visits.find(({ kind }) => kind === "container");
  return container ? yield* ofItems(run, container.id) : yield* ofBranches(run, sources, visits);
}

function* ofItems(run: RunContext, containerId: string): DatabaseWork<JsonObject> {
  const items = yield* query(
    running
      .selectFrom("foreach_item")
      .select(["position", "state", "from_ids"])
      .where("container_id", "=", containerId)
      .orderBy("position"),
  );
  const sources = items.map(({ from_ids }) => JSON.parse(from_ids) as readonly string[]);
  const outputs = yield* outputsOf(run, sources.flat());
  const several = sources.filter((ids) => ids.length > 1).flat();
  const steps = yield* stepsOf(several);
  const results = items.map(({ position, state }, place) => {
    const ids = sources[place] ?? [];
    const output = outputOf(ids, outputs, steps);
    return { index: position, status: state, output };
  });
  return { aggregatedResults: results, counts: counted(items.map(({ state }) => state)) };
}

/** One branch gives its output; several give theirs by step. */
function outputOf(
  ids: readonly string[],
  outputs: ReadonlyMap<string, Json>,
  steps: ReadonlyMap<string, string>,
): Json {
  const [only] = ids;
  if (ids.length <= 1) return only === undefined ? null : (outputs.get(only) ?? null);
  return Object.fromEntries(ids.map((id) => [steps.get(id) ?? id, outputs.get(id) ?? null]));
}

function* stepsOf(ids: readonly string[]): DatabaseWork<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    running
      .selectFrom("step_visit")
      .select(["id", "step"])
      .where("id", "in", [...ids]),
  );
  return new Map(rows.map(({ id, step }) => [id, step]));
}

function* ofBranches(
  run: RunContext,
  sources: readonly string[],
  visits: readonly Pick<StepVisitTable, "id" | "step" | "outcome">[],
): DatabaseWork<JsonObject> {
  const outputs = yield* outputsOf(run, sources);
  const results = sources.map((id) => {
    const visit = visits.find((each) => each.id === id);
    const status = visit?.outcome === "failed" ? "failed" : "completed";
    return { step: visit?.step ?? "", status, output: outputs.get(id) ?? null };
  });
  return { aggregatedResults: results, counts: counted(results.map(({ status }) => status)) };
}

function counted(states: readonly string[]): JsonObject {
  const count = (state: string) => states.filter((each) => each === state).length;
  return {
    total: states.length,
    completed: count("completed"),
    failed: count("failed"),
    skipped: count("skipped"),
    cancelled: count("cancelled"),
  };
}
