/** What a session counts on, said anew after it was found to have changed. */

import { actOf, type Desk, requireState } from "./session-desk.ts";
import { appendEntry } from "./session-trail.ts";
import { getSession, type Session, updateSession } from "./sessions.ts";
import { findParent } from "./start-session.ts";

export async function rely(desk: Desk, sessionId: string, given: string): Promise<Session> {
  const { vcs, kernel, caller } = desk;
  return vcs.lock(async () => {
    requireState(await kernel.store.read(() => getSession(sessionId, caller)), ["open"]);
    const { parent } = await vcs.workingCopy.look();
    const found = await findParent(desk, given, parent);
    const act = actOf(desk);
    const changed = await kernel.store.write(function* () {
      const { changeId = "", commitId = "" } = found ?? {};
      yield* appendEntry(sessionId, { kind: "relied_on", data: { change: changeId } }, act);
      const patch = { relies_on_change: changeId, relies_on_commit: commitId };
      return yield* updateSession(sessionId, patch, act, "relied_on");
    });
    kernel.changes.notify();
    return changed;
  });
}
