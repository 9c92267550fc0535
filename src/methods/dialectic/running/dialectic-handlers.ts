/** Everything that runs of the dialectic are made of. */

import type { Handler } from "../../../kernel/run/handler.ts";
import { gateHandler } from "./gate-handler.ts";
import { lookHandler } from "./look-handler.ts";
import { turnHandler } from "./turn-handler.ts";

export function dialecticHandlers(nextId: () => string): readonly Handler[] {
  return [lookHandler(nextId), turnHandler(nextId), gateHandler];
}
