/** What leaves for dashboards: a collector in this process gets a run's trace and its numbers, and /metrics can be read. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ScratchFolder, scratchFolder, type Server } from "../scratch/program.ts";
import { startReceiver } from "../scratch/receiver.ts";

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

/** Takes what OTLP over HTTP sends as JSON, and refuses what a real collector would refuse. */
async function startCollector() {
  const spans: ReceivedSpan[] = [];
  const metrics: {
    readonly name: string;
    readonly histogram: { dataPoints: { count: string }[] };
  }[] = [];
  const keys: string[] = [];
  const receiver = await startReceiver((text, { "x-collector-key": key }) => {
    const body = JSON.parse(text) as {
      resourceSpans?: { scopeSpans: { spans: ReceivedSpan[] }[] }[];
      resourceMetrics?: { scopeMetrics: { metrics: typeof metrics }[] }[];
    };
    for (const { scopeSpans } of body.resourceSpans ?? [])
      for (const scope of scopeSpans) spans.push(...scope.spans);
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const scope of scopeMetrics) metrics.push(...scope.metrics);
    keys.push(String(key));
    return 200;
  });
  return { ...receiver, spans, metrics, keys };
}

describe("telemetry of a served workspace", () => {
  let home: ScratchFolder;
  let server: Server;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  before(async () => {
    collector = await startCollector();
    home = scratchFolder({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=abc%20d",
      OTEL_SERVICE_NAME: "garden",
    });
    await home.run(["init"]);
    server = await home.serve(["serve"]);
  });
  after(async () => {
    await home.remove();
    collector.close();
  });

  test("a run's trace arrives: the run, its step, the call, nested, with GenAI names and no words", async () => {
    const asked = await home.run(["ask", "Where do snails sleep?", "--json"]);
    assert.equal(asked.code, 0, asked.stderr);
    const find = (name: RegExp) => collector.spans.find((span) => name.test(span.name));
    const deadline = performance.now() + 60_000;
    while (collector.metrics.length === 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const run = find(/^invoke_workflow ask$/);
    const step = find(/^step answer$/);
    const call = find(/^chat rehearsal$/);

    assert.ok(run && step && call, collector.spans.map(({ name }) => name).join(", "));
    assert.match(run.traceId, /^[0-9a-f]{32}$/);
    assert.deepEqual([step.traceId, call.traceId], [run.traceId, run.traceId]);
    assert.deepEqual(
      [run.parentSpanId, step.parentSpanId, call.parentSpanId],
      [undefined, run.spanId, step.spanId],
    );
    assert.equal(call.kind, 3);
    assert.ok(BigInt(call.endTimeUnixNano) >= BigInt(call.startTimeUnixNano));
    const known = Object.fromEntries(
      call.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
    );
    assert.equal(known["gen_ai.operation.name"], "chat");
    assert.equal(known["gen_ai.provider.name"], "rehearsal");
    assert.equal(known["gen_ai.request.model"], "rehearsal");
    assert.ok(Number(known["gen_ai.usage.input_tokens"]) > 0);
    assert.ok(Number(known["gen_ai.usage.output_tokens"]) > 0);
    assert.ok(!JSON.stringify(collector.spans).includes("snails"), "no words leave");
    assert.deepEqual(collector.metrics.map(({ name }) => name).toSorted(), [
      "gen_ai.client.operation.duration",
      "gen_ai.client.token.usage",
    ]);
    assert.ok(collector.keys.every((key) => key === "abc d"));
  });

  test("/metrics can be read with an admin's token that may read, and with no other", async () => {
    const made = await home.run(["token", "add", "prometheus", "--scopes", "read", "--json"]);
    const { text } = (JSON.parse(made.stdout) as { data: { text: string } }).data;
    const get = (token: string | undefined) =>
      fetch(`${server.url}/metrics`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
    const response = await get(text);
    const body = await response.text();

    assert.equal(response.status, 200, body);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
    assert.match(body, /^throughline_runs\{method="ask",state="completed"\} 1$/m);
    assert.match(
      body,
      /^throughline_calls_total\{model="rehearsal\/rehearsal",outcome="answered"\} 1$/m,
    );
    assert.match(body, /^process_resident_memory_bytes \d+$/m);
    for (const line of body.trimEnd().split("\n"))
      assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
    assert.equal((await get(undefined)).status, 401);
  });
});
