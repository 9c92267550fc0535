/** OTLP over HTTP as JSON: the stable protocol that every collector takes, without a package. */

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Set when it failed: what happened, as a code. */
  readonly error?: string | undefined;
}

export interface Histogram {
  readonly name: string;
  readonly unit: string;
  readonly bounds: readonly number[];
  readonly points: readonly {
    readonly attributes: Attributes;
    readonly values: readonly number[];
  }[];
}

export interface Resource {
  readonly serviceName: string;
  readonly serviceVersion: string;
}

const KINDS = { internal: 1, client: 3 } as const;
const FAILED = { code: 2 } as const;

export function traceRequest(resource: Resource, spans: readonly Span[]): object {
  return {
    resourceSpans: [
      {
        resource: resourceOf(resource),
        scopeSpans: [{ scope: scopeOf(resource), spans: spans.map((span) => encodeSpan(span)) }],
      },
    ],
  };
}

export function metricRequest(
  resource: Resource,
  histograms: readonly Histogram[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): object {
  return {
    resourceMetrics: [
      {
        resource: resourceOf(resource),
        scopeMetrics: [
          {
            scope: scopeOf(resource),
            metrics: histograms.map(({ name, unit, bounds, points }) => ({
              name,
              unit,
              histogram: {
                // Delta: what happened since the last time; sums over restarts stay right.
                aggregationTemporality: 1,
                dataPoints: points.map(({ attributes, values }) => ({
                  attributes: encodeAttributes(attributes),
                  startTimeUnixNano: nanos(startMs),
                  timeUnixNano: nanos(endMs),
                  count: String(values.length),
                  sum: values.reduce((sum, value) => sum + value, 0),
                  explicitBounds: bounds,
                  bucketCounts: countInBuckets(values, bounds),
                })),
              },
            })),
          },
        ],
      },
    ],
  };
}

function countInBuckets(values: readonly number[], bounds: readonly number[]): readonly string[] {
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  for (const value of values) {
    const place = bounds.findIndex((bound) => value <= bound);
    const at = place === -1 ? bounds.length : place;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map(String);
}

function encodeSpan(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(Math.max(span.startMs, span.endMs)),
    attributes: encodeAttributes(span.attributes),
    status: span.error === undefined ? {} : { ...FAILED, message: span.error },
  };
}

function encodeAttributes(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );
}

function encodeValue(value: AttributeValue): object {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    default:
      return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
  }
}

/** As text: nanoseconds are beyond what JSON's numbers hold. */
function nanos(ms: number): string {
  return (BigInt(Math.round(ms)) * 1_000_000n).toString();
}

function resourceOf({ serviceName, serviceVersion }: Resource): object {
  const attributes = { "service.name": serviceName, "service.version": serviceVersion };
  return { attributes: encodeAttributes(attributes) };
}

function scopeOf({ serviceVersion }: Resource): object {
  return { name: "throughline", version: serviceVersion };
}
