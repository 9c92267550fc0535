/** Where telemetry goes, by the environment variables that all tools of OpenTelemetry share. Off unless an address is given. */

export interface TelemetrySettings {
  readonly tracesUrl: string;
  readonly metricsUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readTelemetrySettings(environment: Environment): TelemetrySettings | undefined {
  if (environment["OTEL_SDK_DISABLED"] === "true") return undefined;
  const base = environment["OTEL_EXPORTER_OTLP_ENDPOINT"]?.replace(/\/+$/, "");
  const traces = environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  const tracesUrl = traces ?? (base && `${base}/v1/traces`);
  const metrics = environment["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"];
  const metricsUrl = metrics ?? (base && `${base}/v1/metrics`);
  if (tracesUrl === undefined || tracesUrl === "") return undefined;
  return {
    tracesUrl,
    metricsUrl: metricsUrl ?? "",
    headers: readHeaders(environment["OTEL_EXPORTER_OTLP_HEADERS"] ?? ""),
    serviceName: environment["OTEL_SERVICE_NAME"] ?? "throughline",
  };
}

/** `name=value,name=value`, the values as in an address. */
function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim().toLowerCase();
    return at > 0 && name !== "" ? [[name, decoded(pair.slice(at + 1).trim())]] : [];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** What was not written as in an address is taken as it stands. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
