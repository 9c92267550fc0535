/** What became of a synthesis whose process died: it was done, or it is taken back as if it had not been begun. */

import { TOLD_FOLDERS } from "../../kernel/vcs/repository-path.ts";
import type { Commit, Vcs } from "../../kernel/vcs/vcs.ts";
import { keepSynthesised, takeBack } from "./finish-notes.ts";
import { type Desk, handOf } from "./session-desk.ts";
import { keptBookmark } from "./session-plan.ts";
import type { Session } from "./sessions.ts";

/** Gives the session as open again or as synthesised. */
export async function recoverFinish(desk: Desk, session: Session): Promise<Session> {
  const { vcs } = desk;
  const { plan, mode } = session;
  if (plan === undefined || mode === undefined) throw new TypeError("A finish without a plan.");
  const left = {
    operation: plan.operation,
    hand: handOf(session, plan.at),
    ownFolders: TOLD_FOLDERS,
  };
  const done = await findDone(vcs, session);
  if (done !== undefined) {
    await vcs.synthesis.settle(left, done.commitId);
    return keepSynthesised(desk, session.id, mode, plan.duplicates ?? []);
  }
  await vcs.synthesis.undo(left);
  return takeBack(desk, session.id);
}

/** The bookmark goes last: where it holds the commit with the words we composed, everything else is there as well. */
async function findDone({ history }: Vcs, session: Session): Promise<Commit | undefined> {
  const { changeId, message, plan, mode } = session;
  if (changeId === undefined || plan === undefined) return undefined;
  const commit = (await history.findAll([changeId])).get(changeId);
  if (commit === undefined || commit.message !== message) return undefined;
  const bookmark = await history.findBookmark(plan.bookmark);
  const isThere =
    bookmark !== undefined && (await history.isAncestor(commit.commitId, bookmark.commitId));
  const isKept =
    mode !== "multi" || (await history.findBookmark(keptBookmark(session.id))) !== undefined;
  return isThere && isKept ? commit : undefined;
}
