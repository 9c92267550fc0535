/** How dialectics are watched from a terminal. */

import { type FollowHint } from "../../../kernel/operation/operation.ts";

/** Shown live until it ends or asks for somebody. */
export const SESSION_FOLLOWED: FollowHint = {
  stream: "runId",
  until: {
    "run.completed": "ok",
    "run.failed": "internal",
    "run.cancelled": "internal",
    "run.waiting": "waiting",
    "run.held": "waiting",
  },
  view: "dialectic.status",
};
