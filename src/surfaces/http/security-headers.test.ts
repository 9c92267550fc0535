import assert from "node:assert/strict";
import { test } from "node:test";
import { securityHeaders } from "./security-headers.ts";

test("every answer forbids framing, guessing of types, referrers, foreign use and devices", () => {
  for (const kind of ["page", "asset", "data"] as const)
    for (const scheme of ["http", "https"] as const) {
      const {
        "content-security-policy": _policy,
        "cache-control": _cache,
        "strict-transport-security": lasting,
        ...rest
      } = securityHeaders({ kind, scheme });

      assert.equal(lasting, scheme === "https" ? "max-age=31536000; includeSubDomains" : undefined);
      assert.deepEqual(rest, {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-embedder-policy": "require-corp",
        "x-frame-options": "DENY",
        "permissions-policy":
          "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=(), xr-spatial-tracking=()",
      });
    }
});

test("pages load from here alone, write no markup by text, and data loads nothing at all", () => {
  const of = (kind: "page" | "asset" | "data") => {
    const headers = securityHeaders({ kind, scheme: "http" });
    return [headers["content-security-policy"], headers["cache-control"]];
  };
  const page =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

  assert.deepEqual(of("page"), [page, "no-cache"]);
  assert.deepEqual(of("asset"), [page, "private, max-age=31536000, immutable"]);
  assert.deepEqual(of("data"), ["default-src 'none'; frame-ancestors 'none'; sandbox", "no-store"]);
});
