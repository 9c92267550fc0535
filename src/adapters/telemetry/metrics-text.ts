/** How the workspace stands, in the text that Prometheus reads. Counts and sums, no names of people or projects. */

import { sql } from "kysely";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { db } from "../../kernel/store/query-builder.ts";

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export interface ProcessFacts {
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly residentBytes: number;
}

export async function metricsText(
  { store }: Pick<Kernel, "store">,
  facts: ProcessFacts,
): Promise<string> {
  const metrics = [...processMetrics(facts), ...(await store.read(listMetrics))];
  return metrics.map((metric) => render(metric)).join("");
}

function processMetrics({
  version,
  uptimeSeconds,
  residentBytes,
}: ProcessFacts): readonly Metric[] {
  return [
    {
      name: "throughline_build_info",
      help: "The version that runs.",
      type: "gauge",
      samples: [{ labels: { version }, value: 1 }],
    },
    {
      name: "process_uptime_seconds",
      help: "Seconds since the server was started.",
      type: "gauge",
      samples: [{ value: uptimeSeconds }],
    },
    {
      name: "process_resident_memory_bytes",
      help: "Memory that the server's process has.",
      type: "gauge",
      samples: [{ value: residentBytes }],
    },
  ];
}

function* listMetrics(): DatabaseWork<readonly Metric[]> {
  const count = sql<number>`count(*)`;
  const runs = yield* query(
    db
      .selectFrom("run")
      .select(["method", "state", count.as("n")])
      .groupBy(["method", "state"]),
  );
  const jobs = yield* query(
    db
      .selectFrom("job")
      .select(["kind", "state", count.as("n")])
      .where("finished_at", "is", null)
      .groupBy(["kind", "state"]),
  );
  const waits = yield* query(
    db
      .selectFrom("wait")
      .select(["kind", count.as("n")])
      .where("state", "=", "open")
      .groupBy("kind"),
  );
  const calls = yield* query(
    db
      .selectFrom("answer")
      .innerJoin("exchange", "exchange.id", "answer.exchange_id")
      .select([
        "exchange.model",
        "answer.outcome",
        count.as("n"),
        sql<number>`cast(sum(coalesce(answer.input_tokens, 0)) as bigint)`.as("input"),
        sql<number>`cast(sum(coalesce(answer.output_tokens, 0)) as bigint)`.as("output"),
        sql<number>`cast(sum(coalesce(answer.cost_micro_usd, 0)) as bigint)`.as("cost"),
      ])
      .groupBy(["exchange.model", "answer.outcome"]),
  );
  return [
    {
      name: "throughline_runs",
      help: "Runs by method and state.",
      type: "gauge",
      samples: runs.map(({ method, state, n }) => ({
        labels: { method, state },
        value: n,
      })),
    },
    {
      name: "throughline_open_jobs",
      help: "Jobs that are not over, by kind and state.",
      type: "gauge",
      samples: jobs.map(({ kind, state, n }) => ({ labels: { kind, state }, value: n })),
    },
    {
      name: "throughline_open_waits",
      help: "What waits for a person, by kind.",
      type: "gauge",
      samples: waits.map(({ kind, n }) => ({ labels: { kind }, value: n })),
    },
    {
      name: "throughline_calls_total",
      help: "Calls of models that are over, by model and outcome.",
      type: "counter",
      samples: calls.map(({ model, outcome, n }) => ({
        labels: { model, outcome },
        value: n,
      })),
    },
    {
      name: "throughline_tokens_total",
      help: "Tokens by model and direction.",
      type: "counter",
      samples: calls.flatMap(({ model, outcome, input, output }) => [
        { labels: { model, outcome, direction: "input" }, value: input },
        { labels: { model, outcome, direction: "output" }, value: output },
      ]),
    },
    {
      name: "throughline_cost_usd_total",
      help: "What calls cost as far as prices are known, by model.",
      type: "counter",
      samples: calls.map(({ model, outcome, cost }) => ({
        labels: { model, outcome },
        value: cost / 1e6,
      })),
    },
  ];
}

function render({ name, help, type, samples }: Metric): string {
  const lines = samples.map(({ labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
    return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
