/**
 * Phases 3 and 4: one commit that tells the whole session, its report in it, pushed and verified. Whatever dies on
 * the way, the next call takes it back or goes on from it.
 */

import { ProductError } from "../../kernel/base/errors.ts";
import { TOLD_FOLDERS } from "../../kernel/vcs/repository-path.ts";
import { compose } from "./compose-session.ts";
import { beginFinish, keepComposition, keepSynthesised, stayOpen } from "./finish-notes.ts";
import type { FinishRequest } from "./finish-request.ts";
import { type Preparation, prepareFinish } from "./prepare-finish.ts";
import { keepPush, pushSession } from "./push-session.ts";
import { recoverFinish } from "./recover-finish.ts";
import { type Desk, handOf, requireState } from "./session-desk.ts";
import { keptBookmark } from "./session-plan.ts";
import { getSession, type Session } from "./sessions.ts";

export async function finishSession(
  desk: Desk,
  sessionId: string,
  request: FinishRequest,
): Promise<Session> {
  const { vcs } = desk;
  return vcs.lock(async () => finishLocked(desk, sessionId, request));
}

/** With the repository's lock in hand. */
export async function finishLocked(
  desk: Desk,
  sessionId: string,
  request: FinishRequest,
): Promise<Session> {
  const { kernel, caller } = desk;
  let session = await kernel.store.read(() => getSession(sessionId, caller));
  // Whoever asks again because the answer was lost gets it.
  if (session.state === "finished") return session;
  requireState(session, ["open", "finishing", "synthesised"]);
  if (session.state === "finishing") session = await recoverFinish(desk, session);
  if (session.state === "open") session = await synthesise(desk, session, request);
  const outcome = await pushSession(desk, session, request);
  await beginFresh(desk, session);
  return keepPush(desk, session, outcome);
}

async function beginFresh({ vcs, kernel }: Desk, session: Session): Promise<void> {
  const { changeId = "" } = session;
  const commit = (await vcs.history.findAll([changeId])).get(changeId);
  if (commit === undefined) {
    throw new ProductError(
      "session_commit_gone",
      `The session's commit ${changeId} is not there.`,
      {
        kind: "internal",
      },
    );
  }
  await vcs.workingCopy.beginFresh(commit.commitId, handOf(session, kernel.clock.now()));
}

async function synthesise(desk: Desk, session: Session, request: FinishRequest): Promise<Session> {
  const prepared = await prepareFinish(desk, session, request);
  await beginFinish(desk, session, prepared);
  try {
    return await performSynthesis(desk, session, prepared);
  } catch (error) {
    await stayOpen(desk, session.id, error);
    throw error;
  }
}

async function performSynthesis(
  desk: Desk,
  session: Session,
  prepared: Preparation,
): Promise<Session> {
  const { vcs, kernel } = desk;
  const { plan, originals } = prepared;
  const made = await vcs.synthesis.perform({
    operation: plan.operation,
    hand: handOf(session, plan.at),
    ownFolders: TOLD_FOLDERS,
    onto: plan.onto,
    originals,
    bookmark: plan.bookmark,
    keep: keptBookmark(session.id),
    compose: async (known) => {
      const composition = compose({ session, prepared, known, library: kernel.library });
      await keepComposition(desk, session, prepared, composition);
      return composition;
    },
  });
  return keepSynthesised(desk, session.id, prepared.mode, made.duplicates);
}
