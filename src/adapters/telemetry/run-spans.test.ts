/** A run and its calls, and what a collector is sent of them. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callMetrics } from "./call-metrics.ts";
import { metricRequest, traceRequest } from "./otlp.ts";
import {
  exchangeSpans,
  runSpan,
  spanIdOf,
  type TracedExchange,
  type TracedRun,
  traceIdOf,
} from "./run-spans.ts";

const RUN: TracedRun = {
  id: "run",
  rootId: "run",
  parentRunId: null,
  method: "workflow",
  state: "completed",
  reason: null,
  projectId: null,
  inputTokens: 7,
  outputTokens: 5,
  costMicroUsd: 1_500_000,
  createdAt: 1000,
  startedAt: 2000,
  finishedAt: 5000,
};
const CALL: TracedExchange = {
  id: "call",
  jobId: "job",
  step: "Review",
  item: null,
  attempt: 1,
  continuation: 0,
  model: "google/gemini",
  contract: "review",
  promptHash: "abc",
  createdAt: 2500,
  outcome: "answered",
  finish: "stop",
  failure: null,
  inputTokens: 7,
  outputTokens: 5,
  cachedTokens: 2,
  costMicroUsd: 250_000,
  finishedAt: 3500,
};
const LOST: TracedExchange = {
  ...CALL,
  id: "lost",
  item: "3",
  attempt: 2,
  model: "rehearsal",
  outcome: null,
  finish: null,
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  costMicroUsd: null,
  finishedAt: null,
  createdAt: 4000,
};

describe("the trace of a run", () => {
  test("says from when to when it ran, what it took and how it ended", () => {
    assert.deepEqual(runSpan(RUN), {
      traceId: traceIdOf("run"),
      spanId: spanIdOf("run"),
      parentSpanId: undefined,
      name: "invoke_workflow workflow",
      kind: "internal",
      startMs: 2000,
      endMs: 5000,
      attributes: {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "workflow",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 5,
        "throughline.run.id": "run",
        "throughline.run.state": "completed",
        "throughline.project.id": undefined,
        "throughline.cost.usd": 1.5,
        "error.type": undefined,
      },
      error: undefined,
    });
  });

  test("of a run below another lies in the other's; one that never began has no length", () => {
    const below = { ...RUN, id: "below", rootId: "top", parentRunId: "run", projectId: "p" };
    const span = runSpan({ ...below, startedAt: null, finishedAt: null });

    assert.deepEqual([span.traceId, span.parentSpanId], [traceIdOf("top"), spanIdOf("run")]);
    assert.deepEqual([span.startMs, span.endMs], [1000, 1000]);
    assert.equal(span.attributes["throughline.project.id"], "p");
    assert.equal(runSpan({ ...below, finishedAt: null }).endMs, 2000);
  });

  test("names the code of a failure, and never its words", () => {
    const failed = (reason: string | null) => {
      const { error, attributes } = runSpan({ ...RUN, state: "failed", reason });
      assert.equal(attributes["error.type"], error);
      return error;
    };

    assert.equal(failed('{"code":"budget_spent","message":"The plan of Bea"}'), "budget_spent");
    assert.equal(failed('{"message":"The plan of Bea"}'), "failed");
    assert.equal(failed(null), "failed");
  });

  test("has a step for each job, and under it its calls", () => {
    const spans = exchangeSpans(RUN, [CALL, { ...CALL, id: "other", jobId: "next" }, LOST]);

    assert.deepEqual(
      spans.map(({ name, parentSpanId, startMs, endMs, error }) => [
        name,
        parentSpanId,
        startMs,
        endMs,
        error,
      ]),
      [
        ["step Review", spanIdOf("run"), 2500, 4000, "lost"],
        ["chat gemini", spanIdOf("job"), 2500, 3500, undefined],
        ["chat rehearsal", spanIdOf("job"), 4000, 4000, "lost"],
        ["step Review", spanIdOf("run"), 2500, 3500, undefined],
        ["chat gemini", spanIdOf("next"), 2500, 3500, undefined],
      ],
    );
    const [, answered, lost] = spans;
    assert.equal(answered?.attributes["gen_ai.provider.name"], "gcp.gemini");
    assert.deepEqual(answered?.attributes["gen_ai.response.finish_reasons"], ["stop"]);
    assert.equal(answered?.attributes["throughline.cost.usd"], 0.25);
    assert.equal(lost?.attributes["gen_ai.provider.name"], "unknown");
    assert.equal(lost?.attributes["throughline.exchange.outcome"], "open");
    assert.equal(lost?.attributes["throughline.cost.usd"], undefined);
    const refused = { ...CALL, outcome: "failed", failure: "model_refused", item: "3" };
    const [step, call] = exchangeSpans(RUN, [refused]);
    assert.deepEqual([step?.error, call?.error], ["model_refused", "model_refused"]);
    assert.equal(step?.attributes["throughline.item"], "3");
  });
});

describe("what a collector is sent", () => {
  const resource = { serviceName: "mill", serviceVersion: "1.2.3" };

  test("of a trace is OTLP in JSON: times as text, what is not known left out, failures marked", () => {
    const { traceId, spanId } = runSpan(RUN);
    const span = {
      traceId,
      spanId,
      name: "n",
      kind: "client",
      startMs: 1_700_000_000_000.4,
      endMs: 5,
      attributes: { text: "a", whole: 3, part: 0.5, yes: true, list: ["b"], none: undefined },
    } as const;
    const sent = traceRequest(resource, [
      span,
      { ...span, kind: "internal", parentSpanId: "up", endMs: span.startMs + 1, error: "lost" },
    ]);
    const scope = { name: "throughline", version: "1.2.3" };
    const attributes = [
      { key: "text", value: { stringValue: "a" } },
      { key: "whole", value: { intValue: "3" } },
      { key: "part", value: { doubleValue: 0.5 } },
      { key: "yes", value: { boolValue: true } },
      { key: "list", value: { arrayValue: { values: [{ stringValue: "b" }] } } },
    ];
    const common = {
      traceId,
      spanId,
      name: "n",
      startTimeUnixNano: "1700000000000000000",
      attributes,
    };

    assert.deepEqual(sent, {
      resourceSpans: [
        {
          resource: {
            attributes: [
              { key: "service.name", value: { stringValue: "mill" } },
              { key: "service.version", value: { stringValue: "1.2.3" } },
            ],
          },
          scopeSpans: [
            {
              scope,
              spans: [
                { ...common, kind: 3, endTimeUnixNano: "1700000000000000000", status: {} },
                {
                  ...common,
                  parentSpanId: "up",
                  kind: 1,
                  endTimeUnixNano: "1700000000001000000",
                  status: { code: 2, message: "lost" },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test("of calls is how long they took and their tokens, model by model; calls without an end do not count", () => {
    const [duration, tokens] = callMetrics([CALL, { ...CALL, finishedAt: 102_500 }, LOST]);

    assert.deepEqual(
      duration?.points.map(({ attributes, values }) => [
        attributes["gen_ai.request.model"],
        values,
      ]),
      [["gemini", [1, 100]]],
    );
    assert.deepEqual(
      tokens?.points.map(({ attributes, values }) => [attributes["gen_ai.token.type"], values]),
      [
        ["input", [7, 7]],
        ["output", [5, 5]],
      ],
    );
    const [sent] = JSON.parse(
      JSON.stringify(metricRequest(resource, [duration!, tokens!], { startMs: 1, endMs: 2 })),
    ).resourceMetrics[0].scopeMetrics[0].metrics;
    const [point] = sent.histogram.dataPoints;
    assert.deepEqual(
      [sent.unit, sent.histogram.aggregationTemporality, point.count, point.sum],
      ["s", 1, "2", 101],
    );
    assert.deepEqual([point.startTimeUnixNano, point.timeUnixNano], ["1000000", "2000000"]);
    const buckets: readonly string[] = point.bucketCounts;
    assert.equal(buckets.length, point.explicitBounds.length + 1);
    assert.equal(
      buckets[point.explicitBounds.indexOf(1.28)],
      "1",
      "up to the bound, the bound included",
    );
    assert.equal(buckets.at(-1), "1", "beyond all bounds");
  });
});
