/** Addresses beyond this machine are spoken to over TLS, unless somebody has said that the way there is protected otherwise. */

import { ProductError } from "../kernel/base/errors.ts";
import { isLoopback } from "../surfaces/http/bind-address.ts";

export function isInTheClear(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname.replaceAll(/[[\]]/g, ""));
}

export function modelInTheClear(provider: string): ProductError {
  return new ProductError(
    "model_in_the_clear",
    `What "${provider}" is asked and answers, and its key, would travel in the clear.`,
    {
      kind: "provider",
      hint: 'Use https, or write "inTheClear": true beside its baseUrl in config.json if the way there is protected otherwise.',
    },
  );
}

const ALLOWED_BY = "THROUGHLINE_TELEMETRY_IN_THE_CLEAR";

export function checkTelemetryWay(
  addresses: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): void {
  if (environment[ALLOWED_BY] === "true" || !addresses.some(isInTheClear)) return;
  throw new ProductError(
    "telemetry_in_the_clear",
    "Telemetry, and the collector's key, would travel in the clear; none is sent.",
    {
      hint: `Use https, or set ${ALLOWED_BY}=true if the way there is protected otherwise.`,
    },
  );
}
