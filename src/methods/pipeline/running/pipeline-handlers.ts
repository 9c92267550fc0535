/** Everything that runs of workflows are made of. */

import type { Library } from "../../../kernel/library/library.ts";
import type { EffectKind, Handler } from "../../../kernel/run/handler.ts";
import { routedEffectKind } from "./apply-routed.ts";
import { beginHandler, begunEffect } from "./begin-run.ts";
import { callWorkflowHandler, childEndedHandler } from "./call-workflow-handler.ts";
import { collectedEffect, collectHandler } from "./collect-handler.ts";
import { deadlineHandler } from "./deadlines.ts";
import { lookHandler } from "./look-handler.ts";
import { answeredHandler, askPersonHandler } from "./people-handlers.ts";
import { visitEffects } from "./visit-effects.ts";
import { workHandler } from "./work-handler.ts";

export function pipelineHandlers(library: Library, nextId: () => string): readonly Handler[] {
  return [
    beginHandler,
    lookHandler(nextId),
    workHandler(library),
    askPersonHandler,
    answeredHandler,
    collectHandler,
    callWorkflowHandler,
    childEndedHandler,
    deadlineHandler,
  ];
}

export const pipelineEffects: readonly EffectKind[] = [
  begunEffect,
  routedEffectKind,
  collectedEffect,
  ...visitEffects,
];
