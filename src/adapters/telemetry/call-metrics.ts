/** What calls of models took, as the two histograms that dashboards for GenAI look for. */

import { GEN_AI, GEN_AI_METRICS, OPERATIONS, splitModel } from "./gen-ai-names.ts";
import type { Attributes, Histogram } from "./otlp.ts";
import type { TracedExchange } from "./run-spans.ts";

/** The buckets that the conventions advise. */
const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

export function callMetrics(exchanges: readonly TracedExchange[]): readonly Histogram[] {
  const byModel = [...Map.groupBy(exchanges, ({ model }) => model)];
  const duration = byModel.map(([model, calls]) => ({
    attributes: attributesOf(model),
    values: calls.flatMap(({ createdAt, finishedAt }) =>
      finishedAt === null ? [] : [(finishedAt - createdAt) / 1000],
    ),
  }));
  const tokens = byModel.flatMap(([model, calls]) =>
    (["input", "output"] as const).map((type) => ({
      attributes: { ...attributesOf(model), [GEN_AI.tokenType]: type },
      values: calls.flatMap(
        ({ inputTokens, outputTokens }) => (type === "input" ? inputTokens : outputTokens) ?? [],
      ),
    })),
  );
  return [
    { name: GEN_AI_METRICS.duration, unit: "s", bounds: SECONDS, points: duration },
    { name: GEN_AI_METRICS.tokens, unit: "{token}", bounds: TOKENS, points: tokens },
  ].map((histogram) => ({
    ...histogram,
    points: histogram.points.filter(({ values }) => values.length > 0),
  }));
}

function attributesOf(full: string): Attributes {
  const { provider, model } = splitModel(full);
  return {
    [GEN_AI.operation]: OPERATIONS.chat,
    [GEN_AI.provider]: provider,
    [GEN_AI.requestModel]: model,
  };
}
