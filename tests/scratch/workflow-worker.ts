/** A worker to be killed: runs workflows. `node workflow-worker.ts sqlite FILE` or `postgres URL SCHEMA`. */

import { createHandlerRegistry } from "../../src/kernel/run/handler.ts";
import { pipelineEnding } from "../../src/methods/pipeline/running/end-tasks.ts";
import {
  pipelineEffects,
  pipelineHandlers,
} from "../../src/methods/pipeline/running/pipeline-handlers.ts";
import { builtInLibrary } from "./scratch-kernel.ts";
import { unsteadyRehearsal, workUntilDone } from "./work-until-done.ts";

await workUntilDone({
  handlers: (nextId) =>
    createHandlerRegistry(pipelineHandlers(builtInLibrary(), nextId), pipelineEffects, [
      pipelineEnding,
    ]),
  provider: unsteadyRehearsal(0, 12),
  concurrency: 16,
  leaseMs: 1200,
});
