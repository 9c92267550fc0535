/** A worker to be killed: runs dialectics. `node dialectic-worker.ts sqlite FILE`. */

import { createHandlerRegistry } from "../../src/kernel/run/handler.ts";
import { dialecticEffects } from "../../src/methods/dialectic/running/dialectic-effects.ts";
import { dialecticHandlers } from "../../src/methods/dialectic/running/dialectic-handlers.ts";
import { unsteadyRehearsal, workUntilDone } from "./work-until-done.ts";

const model = unsteadyRehearsal(0, 12);
await workUntilDone({
  handlers: (nextId) => createHandlerRegistry(dialecticHandlers(nextId), dialecticEffects),
  provider: {
    // It says the same whichever attempt it is, so that runs can be compared word for word.
    call: (request, options) =>
      model.call({ ...request, labels: { ...request.labels, attempt: 1 } }, options),
  },
  concurrency: 16,
  leaseMs: 30_000,
});
