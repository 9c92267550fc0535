/** Two runs side by side: which way each went, what every step came to, took and cost. */

import type { z } from "zod";
import type { Json } from "../../../kernel/base/json.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { type DatabaseWork, query, queryFirst } from "../../../kernel/store/database-work.ts";
import { type Difference, differencesOf } from "./compare-values.ts";
import { type RunGraph, readRunGraph } from "./read-run-graph.ts";
import type { comparisonShape } from "./run-graph-shape.ts";
import { readRunInput } from "./run-input.ts";
import { running } from "./run-tables.ts";

type Comparison = z.input<typeof comparisonShape>;
type ComparedStep = Comparison["steps"][number];
type Side = NonNullable<ComparedStep["sides"][number]>;

const MOST_DIFFERENCES = 50;

interface ReadRun {
  readonly facts: Comparison["runs"][number];
  readonly graph: RunGraph;
  readonly outputs: ReadonlyMap<string, Json>;
}

export function* compareRuns(
  ids: readonly [string, string],
  asOf: number,
): DatabaseWork<Comparison> {
  const one = yield* readRun(ids[0], asOf);
  const other = yield* readRun(ids[1], asOf);
  const steps = new Map([...other.graph.steps, ...one.graph.steps].map((step) => [step.id, step]));
  // In the order of the first; what only the second has comes behind.
  const order = new Set([...one.graph.steps, ...other.graph.steps].map(({ id }) => id));
  return {
    runs: [one.facts, other.facts],
    steps: [...order].flatMap((id) => {
      const step = steps.get(id);
      if (step === undefined || step.type === "decision") return [];
      return [compareStep({ id, name: step.name, type: step.type }, one, other)];
    }),
    asOf,
  };
}

function compareStep(
  step: Pick<ComparedStep, "id" | "name" | "type">,
  one: ReadRun,
  other: ReadRun,
): ComparedStep {
  const sides = [sideOf(one, step.id), sideOf(other, step.id)];
  const found = [...differencesOf(sides[0]?.output, sides[1]?.output)];
  const isSame =
    found.length === 0 &&
    sides[0]?.status === sides[1]?.status &&
    sides[0]?.visits === sides[1]?.visits;
  return {
    ...step,
    sides,
    isSame,
    differences: found.slice(0, MOST_DIFFERENCES).map(toShown),
    moreDifferences: Math.max(0, found.length - MOST_DIFFERENCES),
  };
}

function toShown({ path, values }: Difference): ComparedStep["differences"][number] {
  return { path, values: [...values] };
}

function sideOf({ graph, outputs }: ReadRun, stepId: string): Side | undefined {
  const step = graph.steps.find(({ id }) => id === stepId);
  if (step === undefined) return undefined;
  const { startedAt, finishedAt, counts, spans } = step;
  const visits = Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return {
    status: step.status,
    visits: Math.max(
      visits,
      spans.reduce((sum, span) => sum + span.visits, 0),
    ),
    tookMs:
      startedAt === undefined || finishedAt === undefined ? undefined : finishedAt - startedAt,
    costMicroUsd: step.costMicroUsd,
    calls: step.calls,
    output: outputs.get(step.taskId ?? ""),
  };
}

function* readRun(runId: string, asOf: number): DatabaseWork<ReadRun> {
  const graph = yield* readRunGraph(runId, undefined, asOf);
  const row = yield* queryFirst(
    running
      .selectFrom("run")
      .select(["title", "state", "project_id", "turns", "cost_micro_usd"])
      .where("id", "=", runId),
  );
  const projectId = row?.project_id ?? undefined;
  const { input } = yield* readRunInput(runId);
  const outputs = yield* outputsOf(graph);
  const readable = yield* withoutRedactedPassages({ input, outputs: [...outputs] }, projectId);
  return {
    graph,
    outputs: new Map(readable.outputs),
    facts: {
      runId,
      title: row?.title ?? graph.name,
      state: row?.state ?? graph.state,
      workflowVersion: graph.workflowVersion,
      startedAt: graph.startedAt,
      finishedAt: graph.finishedAt,
      turns: row?.turns ?? 0,
      costMicroUsd: row?.cost_micro_usd ?? 0,
      input: readable.input,
    },
  };
}

const AT_ONCE = 500;

function* outputsOf({ steps }: RunGraph): DatabaseWork<ReadonlyMap<string, Json>> {
  const ids = steps.flatMap(({ taskId }) => taskId ?? []);
  const outputs = new Map<string, Json>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const rows = yield* query(
      running
        .selectFrom("task")
        .select(["id", "output"])
        .where("id", "in", ids.slice(from, from + AT_ONCE)),
    );
    for (const { id, output } of rows)
      if (output !== null) outputs.set(id, JSON.parse(output) as Json);
  }
  return outputs;
}
