/** How runs of workflows are watched from a terminal. */

import type { FollowHint } from "../../../kernel/operation/operation.ts";

/** Until the run ends or waits for people; its steps are shown live. */
export const RUN_FOLLOWED: FollowHint = {
  stream: "runId",
  until: {
    "run.completed": "ok",
    "run.failed": "internal",
    "run.cancelled": "internal",
    "run.waiting": "waiting",
    "run.held": "waiting",
  },
  view: "step.list",
};
