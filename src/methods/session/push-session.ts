/** The end of a session: pushed, and seen at the remote. What fails here is told, kept, and tried again by `finish`. */

import { describeError, ProductError } from "../../kernel/base/errors.ts";
import type { Commit, PushTarget, Vcs } from "../../kernel/vcs/vcs.ts";
import type { FinishRequest } from "./finish-request.ts";
import { actOf, type Desk, handOf } from "./session-desk.ts";
import { keptBookmark } from "./session-plan.ts";
import { resolveSetting } from "./session-settings.ts";
import type { PushState } from "./session-tables.ts";
import { appendEntry, type NewEntry } from "./session-trail.ts";
import { type Session, updateSession } from "./sessions.ts";

export async function wantsPush(
  { kernel }: Desk,
  { projectId }: Session,
  { push }: Pick<FinishRequest, "push">,
): Promise<boolean> {
  return push ?? kernel.store.read(() => resolveSetting("push", projectId));
}

export async function findRemote(
  { kernel, vcs }: Desk,
  { projectId }: Session,
): Promise<string | undefined> {
  const name = await kernel.store.read(() => resolveSetting("remote", projectId));
  return vcs.remotes.find(name === "" ? undefined : name);
}

/** Gives the session as finished, or as synthesised still when it could not be pushed. */
export async function pushSession(
  desk: Desk,
  session: Session,
  request: FinishRequest,
): Promise<Session> {
  const { vcs, kernel } = desk;
  if (!(await wantsPush(desk, session, request))) return endSession(desk, session, "off");
  const remote = await findRemote(desk, session);
  if (remote === undefined) return endSession(desk, session, "none");
  try {
    const targets = await listTargets(vcs, session);
    await vcs.remotes.push(remote, targets, handOf(session, kernel.clock.now()));
    await verifyPushed(vcs, remote, targets);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return keepFailure(desk, session, error);
  }
  return endSession(desk, session, "pushed", remote);
}

/** What has to be at the remote for every reference of the session to live there. */
export async function listTargets(
  { history }: Vcs,
  { id, changeId = "", bookmark = "", mode }: Session,
): Promise<readonly PushTarget[]> {
  const commit = (await history.findAll([changeId])).get(changeId);
  const kept = mode === "multi" ? await history.findBookmark(keptBookmark(id)) : undefined;
  const target = (name: string, found: Commit | undefined): PushTarget => {
    if (found !== undefined) return { name, commitId: found.commitId };
    throw new ProductError("session_commit_gone", `What "${name}" should hold is not there.`, {
      kind: "internal",
      hint: "See what is missing: session check",
    });
  };
  return [target(bookmark, commit), ...(mode === "multi" ? [target(keptBookmark(id), kept)] : [])];
}

/** A push that says it went well is believed when the remote says so, too. */
async function verifyPushed(
  { remotes, history }: Vcs,
  remote: string,
  targets: readonly PushTarget[],
): Promise<void> {
  const names = targets.map(({ name }) => name);
  const heads = await remotes.heads(remote, names);
  await remotes.bring(
    remote,
    targets
      .filter(({ name, commitId }) => heads.get(name) !== commitId && heads.has(name))
      .map(({ name }) => name),
  );
  for (const { name, commitId } of targets) {
    const head = heads.get(name);
    if (head !== undefined && (await history.isAncestor(commitId, head))) continue;
    throw new ProductError("push_unverified", `"${name}" at ${remote} does not hold the session.`, {
      kind: "conflict",
      hint: "Look at what moved it there, then finish again.",
    });
  }
}

async function endSession(
  desk: Desk,
  { id }: Session,
  push: PushState,
  remote?: string,
): Promise<Session> {
  const { kernel } = desk;
  const act = actOf(desk);
  const told: NewEntry =
    push === "pushed"
      ? { kind: "pushed", data: { remote: remote ?? "" } }
      : { kind: "push_left_out", data: { why: push } };
  const ended = await kernel.store.write(function* () {
    yield* appendEntry(id, told, act);
    yield* appendEntry(id, { kind: "finished" }, act);
    const patch = { state: "finished" as const, push, push_reason: null, finished_at: act.now };
    return yield* updateSession(id, patch, act, "finished");
  });
  kernel.changes.notify();
  return ended;
}

async function keepFailure(desk: Desk, { id }: Session, failure: ProductError): Promise<Session> {
  const { kernel } = desk;
  const act = actOf(desk);
  const { code, message } = describeError(failure);
  const kept = await kernel.store.write(function* () {
    yield* appendEntry(id, { kind: "push_failed", data: { code, message } }, act);
    return yield* updateSession(id, { push: "failed", push_reason: message }, act, "push_failed");
  });
  kernel.changes.notify();
  return kept;
}
