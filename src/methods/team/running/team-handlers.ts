/** Everything that runs of teams are made of. */

import type { Library } from "../../../kernel/library/library.ts";
import type { Handler } from "../../../kernel/run/handler.ts";
import { beginHandler } from "./begin-team.ts";
import { askPersonHandler, handedInHandler } from "./person-handlers.ts";
import { answeredHandler, roundHandler, settleHandler, stepHandler } from "./round-handlers.ts";
import { turnHandler } from "./turn-handler.ts";

export function teamHandlers(library: Library): readonly Handler[] {
  return [
    beginHandler,
    roundHandler,
    stepHandler,
    turnHandler(library),
    settleHandler,
    answeredHandler,
    askPersonHandler,
    handedInHandler,
  ];
}
