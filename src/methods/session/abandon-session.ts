/** Giving a session up. What it committed stays; what a dead process left half-done is taken back first. */

import { recoverFinish } from "./recover-finish.ts";
import { actOf, type Desk, requireState } from "./session-desk.ts";
import { appendEntry } from "./session-trail.ts";
import { getSession, type Session, updateSession } from "./sessions.ts";

export async function abandonSession(
  desk: Desk,
  sessionId: string,
  because: string | undefined,
): Promise<Session> {
  const { vcs, kernel, caller } = desk;
  return vcs.lock(async () => {
    let session = await kernel.store.read(() => getSession(sessionId, caller));
    if (session.state === "finishing") session = await recoverFinish(desk, session);
    requireState(session, ["open"]);
    const act = { ...actOf(desk), because };
    const ended = await kernel.store.write(function* () {
      const data = because === undefined ? {} : { because };
      yield* appendEntry(sessionId, { kind: "abandoned", data }, act);
      const patch = { state: "abandoned" as const, finished_at: act.now };
      return yield* updateSession(sessionId, patch, act, "abandoned");
    });
    kernel.changes.notify();
    return ended;
  });
}
