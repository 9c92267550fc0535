/** `/metrics`: for a scraper with a token of an admin that may read. */

import { METRICS_TYPE, metricsText } from "../adapters/telemetry/metrics-text.ts";
import { ProductError } from "../kernel/base/errors.ts";
import { isAllowed } from "../kernel/operation/authorise.ts";
import type { Caller } from "../kernel/operation/caller.ts";
import type { Kernel } from "../kernel/operation/kernel.ts";
import type { ExtraRoute } from "../surfaces/http/http-app.ts";
import { PROGRAM } from "./program.ts";

/** However often it is asked for: counting all calls takes the store's time. */
const FRESH_MS = 2000;

export function metricsRoute(kernel: Kernel): ExtraRoute {
  let made: { readonly at: number; readonly text: Promise<string> } | undefined;
  return {
    path: "/metrics",
    handle: async (_request, { caller }) => {
      requireOverview(caller);
      const now = kernel.clock.elapsed();
      if (made === undefined || now - made.at > FRESH_MS) {
        const facts = {
          version: PROGRAM.version,
          uptimeSeconds: process.uptime(),
          residentBytes: process.memoryUsage.rss(),
        };
        made = { at: now, text: metricsText(kernel, facts) };
      }
      return new Response(await made.text, { headers: { "content-type": METRICS_TYPE } });
    },
  };
}

/** The numbers are of all projects, also of those that most people do not see. */
function requireOverview(caller: Caller): void {
  if (caller.role === "admin" && isAllowed(caller, "read")) return;
  throw new ProductError("permission_missing", "These are numbers of the whole workspace.", {
    kind: "not_allowed",
    hint: "Use an admin's token; the scope `read` is enough: `token add prometheus --scopes read`.",
  });
}
