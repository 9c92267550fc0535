import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readTelemetrySettings } from "./telemetry-settings.ts";

const BASE = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const METRICS = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT";
const HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";

describe("telemetry", () => {
  test("goes nowhere unless an address is given, and nowhere when it is switched off", () => {
    for (const environment of [
      {},
      { [BASE]: "" },
      { [METRICS]: "http://c/m" },
      { [BASE]: "http://c", [TRACES]: "" },
      { [BASE]: "http://c", OTEL_SDK_DISABLED: "true" },
    ])
      assert.equal(readTelemetrySettings(environment), undefined);
  });

  test("goes where the variables say that all tools share", () => {
    const plain = { headers: {}, serviceName: "throughline" };

    assert.deepEqual(readTelemetrySettings({ [BASE]: "http://c:4318//" }), {
      ...plain,
      tracesUrl: "http://c:4318/v1/traces",
      metricsUrl: "http://c:4318/v1/metrics",
    });
    assert.deepEqual(readTelemetrySettings({ [TRACES]: "http://t" }), {
      ...plain,
      tracesUrl: "http://t",
      metricsUrl: "",
    });
    assert.deepEqual(
      readTelemetrySettings({
        [BASE]: "http://c",
        [TRACES]: "http://t",
        [METRICS]: "http://m",
        OTEL_SERVICE_NAME: "mill",
        OTEL_SDK_DISABLED: "false",
      }),
      { headers: {}, serviceName: "mill", tracesUrl: "http://t", metricsUrl: "http://m" },
    );
  });

  test("takes headers along, and leaves out what is none", () => {
    const read = (text: string) =>
      readTelemetrySettings({ [BASE]: "http://c", [HEADERS]: text })?.headers;

    assert.deepEqual(read(" Api-Key = a%20b%3D= , x=, =y, z, ,q=1=2"), {
      "api-key": "a b==",
      x: "",
      q: "1=2",
    });
    assert.deepEqual(read("Api-Key=100%, x=1"), { "api-key": "100%", x: "1" });
  });
});
