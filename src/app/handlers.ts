/** What the methods' runs are made of: a handler per kind of job, and the effects that follow from replies. */

import type { Library } from "../kernel/library/library.ts";
import {
  createHandlerRegistry,
  type EffectKind,
  type Handler,
  type HandlerRegistry,
} from "../kernel/run/handler.ts";
import { askHandler } from "../methods/ask/ask-handler.ts";
import { continuityEffects, continuityHandlers } from "../methods/continuity/continuity-parts.ts";
import { dialecticEffects } from "../methods/dialectic/running/dialectic-effects.ts";
import { dialecticHandlers } from "../methods/dialectic/running/dialectic-handlers.ts";
import { pipelineEnding } from "../methods/pipeline/running/end-tasks.ts";
import {
  pipelineEffects,
  pipelineHandlers,
} from "../methods/pipeline/running/pipeline-handlers.ts";
import { teamEffects } from "../methods/team/running/team-effects.ts";
import { teamHandlers } from "../methods/team/running/team-handlers.ts";
import { modelTestHandler } from "../methods/workspace/model-test-handler.ts";
import { type Extension, NO_EXTENSION } from "./extension.ts";

export function createHandlers(
  library: Library,
  nextId: () => string,
  extension: Extension = NO_EXTENSION,
): HandlerRegistry {
  const handlers: readonly Handler[] = [
    askHandler(library),
    modelTestHandler,
    ...continuityHandlers(library, nextId),
    ...dialecticHandlers(nextId),
    ...pipelineHandlers(library, nextId),
    ...teamHandlers(library),
    ...extension.handlers,
  ];
  const effects: readonly EffectKind[] = [
    ...continuityEffects(library),
    ...dialecticEffects,
    ...pipelineEffects,
    ...teamEffects,
    ...extension.effects,
  ];
  return createHandlerRegistry(handlers, effects, [pipelineEnding]);
}
