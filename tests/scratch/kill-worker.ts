/** A worker to be killed: runs the trial method. `node kill-worker.ts sqlite FILE` or `postgres URL SCHEMA`. */

import { systemClock } from "../../src/kernel/base/clock.ts";
import { createRehearsalModel } from "../../src/kernel/model/rehearsal-model.ts";
import { trialHandlers } from "./trial-method.ts";
import { workUntilDone } from "./work-until-done.ts";

const latencyMs = Number(process.env["LATENCY_MS"] ?? 2);
await workUntilDone({
  handlers: () => trialHandlers,
  provider: createRehearsalModel(systemClock, { latencyMs }),
  concurrency: 64,
  leaseMs: Number(process.env["LEASE_MS"] ?? 1500),
});
