/** Headers that every answer carries, also refusals; pages and data differ in what they may load. */

const EVERYWHERE: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "x-frame-options": "DENY",
  "permissions-policy":
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=(), xr-spatial-tracking=()",
};

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

const CACHE_CONTROL = {
  page: "no-cache",
  asset: "private, max-age=31536000, immutable",
  data: "no-store",
} as const;

/** A year, the names below ours included. */
const STRICT_TRANSPORT = "max-age=31536000; includeSubDomains";

export function securityHeaders(options: {
  readonly kind: "page" | "asset" | "data";
  readonly scheme: "http" | "https";
}): Readonly<Record<string, string>> {
  const { kind, scheme } = options;
  return {
    ...EVERYWHERE,
    "content-security-policy": kind === "data" ? DATA_POLICY : PAGE_POLICY,
    "cache-control": CACHE_CONTROL[kind],
    ...(scheme === "https" ? { "strict-transport-security": STRICT_TRANSPORT } : {}),
  };
}
