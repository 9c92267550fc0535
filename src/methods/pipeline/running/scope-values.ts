/** The names that conditions, paths and templates may use, read from where they are kept. */

import type { Json, JsonObject } from "../../../kernel/base/json.ts";
import type { JsonPath } from "../../../kernel/base/json-path.ts";
import { type DatabaseWork, query, runSql } from "../../../kernel/store/database-work.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import { isForeach } from "../routing/graph.ts";
import { placeInForeach, type Scope, WHOLE_RUN } from "../routing/open-run.ts";
import type { RunContext } from "./run-context.ts";
import { running } from "./run-tables.ts";

/** The run itself is the first visit: its output is what the run was started with. */
export function* outputsOf(
  run: RunContext,
  visitIds: readonly string[],
): DatabaseWork<ReadonlyMap<string, Json>> {
  const outputs = new Map<string, Json>([[run.runId, run.input.input]]);
  const wanted = [...new Set(visitIds)].filter((id) => id !== run.runId);
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const rows = yield* query(
      running
        .selectFrom("task")
        .select(["id", "output"])
        .where("id", "in", wanted.slice(from, from + AT_ONCE)),
    );
    for (const { id, output } of rows) outputs.set(id, output === null ? null : parse(output));
  }
  return outputs;
}

/** Databases take only so many parameters. */
const AT_ONCE = 500;

/** `steps` and what the items around the scope bring. Only steps that somebody may ask for are read. */
export function* namesIn(
  run: RunContext,
  scope: Scope,
  steps: readonly string[],
): DatabaseWork<JsonObject> {
  return (yield* placeOf(run, scope, steps)).names;
}

export interface PlaceValues {
  readonly names: JsonObject;
  /** Of an item: whose output its foreach spreads. */
  readonly spreads: string | null | undefined;
  /** Where the foreaches around it have their items. */
  readonly lists: readonly JsonPath[];
}

export function* placeOf(
  run: RunContext,
  scope: Scope,
  steps: readonly string[],
): DatabaseWork<PlaceValues> {
  const around = yield* itemsAround(run, scope);
  const scopes = [WHOLE_RUN, ...around.map((item) => item.scope)];
  const names = {
    ...Object.assign({}, ...around.map((item) => item.names)),
    steps: yield* latestOutputs(run, scopes, steps),
  };
  const lists = around.flatMap(({ list }) => (list === undefined ? [] : [list]));
  return { names, spreads: around.at(-1)?.spreads, lists };
}

/** The visits with which an item begins: they go on from the whole that their foreach took apart. */
export function* firstOfItems(
  visits: readonly {
    readonly id: string;
    readonly scope: Scope;
    readonly kind: string;
    readonly from_id: string | null;
  }[],
): DatabaseWork<ReadonlySet<string>> {
  const inside = visits.flatMap((visit) => {
    const place = placeInForeach(visit.scope);
    return place === undefined || visit.kind !== "work" ? [] : [{ visit, place }];
  });
  const containers = [...new Set(inside.map(({ place }) => place.containerId))];
  if (containers.length === 0) return new Set();
  const rows = yield* query(
    running.selectFrom("step_visit").select(["id", "from_id"]).where("id", "in", containers),
  );
  const origins = new Map(rows.map(({ id, from_id }) => [id, from_id]));
  const first = inside.filter(
    ({ visit, place }) => visit.from_id === origins.get(place.containerId),
  );
  return new Set(first.map(({ visit }) => visit.id));
}

interface ItemAround {
  readonly scope: Scope;
  readonly names: JsonObject;
  readonly spreads: string | null;
  readonly list: JsonPath | undefined;
}

/** From the outermost item to the innermost: an inner one hides the names of an outer one. */
function* itemsAround(run: RunContext, scope: Scope): DatabaseWork<readonly ItemAround[]> {
  const items: ItemAround[] = [];
  let current = scope;
  for (let place = placeInForeach(current); place; place = placeInForeach(current)) {
    const { containerId, index } = place;
    const [row]: readonly ItemRow[] = yield* runSql<ItemRow>(FIND_ITEM, [containerId, index]);
    if (!row) break;
    const step = run.graph.step(row.step);
    const value = parse(row.value);
    const variable = isForeach(step) ? step.itemVariable : "item";
    const names = { item: value, [variable]: value, index, total: row.total ?? 0 };
    items.unshift({
      scope: current,
      names: { ...names, parentId: containerId },
      spreads: row.from_id,
      list: isForeach(step) ? step.items : undefined,
    });
    current = row.scope;
  }
  return items;
}

interface ItemRow {
  readonly step: string;
  readonly scope: string;
  readonly total: number | null;
  readonly from_id: string | null;
  readonly value: string;
}

const FIND_ITEM = sqlText(
  `select v.step, v.scope, v.total, v.from_id, i.value from step_visit v join foreach_item i on i.container_id = v.id
   where v.id = ? and i.position = ?`,
);

/** Of each step the latest output, that of an inner scope before that of an outer one. */
function* latestOutputs(
  run: RunContext,
  scopes: readonly Scope[],
  steps: readonly string[],
): DatabaseWork<JsonObject> {
  if (steps.length === 0) return {};
  const rows = yield* query(
    running
      .selectFrom("step_visit as v")
      .innerJoin("task as t", "t.id", "v.id")
      .select(["v.step", "v.scope", "v.iteration", "t.output"])
      .where("v.run_id", "=", run.runId)
      .where("v.scope", "in", [...scopes])
      .where("v.step", "in", [...steps])
      .where("t.output", "is not", null)
      .where("v.outcome", "is not", null),
  );
  const rank = ({ scope, iteration }: { scope: string; iteration: number }) =>
    scopes.indexOf(scope) * 1_000_000 + iteration;
  const latest: Record<string, Json> = {};
  for (const row of rows.toSorted((one, other) => rank(one) - rank(other))) {
    if (row.output !== null) latest[row.step] = { output: parse(row.output) };
  }
  return latest;
}

function parse(text: string): Json {
  return JSON.parse(text) as Json;
}
