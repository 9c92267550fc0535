/** A worker to be killed: lets teams work. `node team-worker.ts sqlite FILE`. */

import { createHandlerRegistry } from "../../src/kernel/run/handler.ts";
import { teamEffects } from "../../src/methods/team/running/team-effects.ts";
import { teamHandlers } from "../../src/methods/team/running/team-handlers.ts";
import { builtInLibrary } from "./scratch-kernel.ts";
import { unsteadyRehearsal, workUntilDone } from "./work-until-done.ts";

await workUntilDone({
  handlers: () => createHandlerRegistry(teamHandlers(builtInLibrary()), teamEffects),
  provider: unsteadyRehearsal(5, 35),
  concurrency: 8,
  leaseMs: 1200,
});
