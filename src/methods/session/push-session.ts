/** The end of a session: pushed, and seen at the remote. What fails here is told, kept, and tried again by `finish`. */

import { describeError, ProductError } from "../../kernel/base/errors.ts";
import type { Commit, PushTarget, Vcs } from "../../kernel/vcs/vcs.ts";
import type { FinishRequest } from "./finish-request.ts";
import { actOf, type Desk, handOf } from "./session-desk.ts";
import { keptBookmark } from "./session-plan.ts";
import { resolveSetting } from "./session-settings.ts";
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
  { projectId }: Pick<Session, "projectId">,
): Promise<string | undefined> {
  const name = await kernel.store.read(() => resolveSetting("remote", projectId));
  return vcs.remotes.find(name === "" ? undefined : name);
}

export type PushOutcome =
  | { readonly push: "off" | "none" }
  | { readonly push: "pushed"; readonly remote: string }
  | { readonly push: "failed"; readonly failure: ProductError };

export async function pushSession(
  desk: Desk,
  session: Session,
  request: FinishRequest,
): Promise<PushOutcome> {
  const { vcs, kernel } = desk;
  if (!(await wantsPush(desk, session, request))) return { push: "off" };
  const remote = await findRemote(desk, session);
  if (remote === undefined) return { push: "none" };
  try {
    const targets = await listTargets(vcs, session);
    await vcs.remotes.push(remote, targets, handOf(session, kernel.clock.now()));
    await verifyPushed(vcs, remote, targets);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return { push: "failed", failure: error };
  }
  return { push: "pushed", remote };
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

/** Gives the session as finished, or as synthesised still when it could not be pushed. */
export async function keepPush(
  desk: Desk,
  { id }: Session,
  outcome: PushOutcome,
): Promise<Session> {
  const { kernel } = desk;
  const act = actOf(desk);
  const kept = await kernel.store.write(function* () {
    yield* appendEntry(id, toldOf(outcome), act);
    if (outcome.push === "failed") {
      const patch = { push: outcome.push, push_reason: outcome.failure.message };
      return yield* updateSession(id, patch, act, "push_failed");
    }
    yield* appendEntry(id, { kind: "finished" }, act);
    const patch = { push: outcome.push, push_reason: null, finished_at: act.now };
    return yield* updateSession(id, { ...patch, state: "finished" }, act, "finished");
  });
  kernel.changes.notify();
  return kept;
}

function toldOf(outcome: PushOutcome): NewEntry {
  switch (outcome.push) {
    case "pushed":
      return { kind: "pushed", data: { remote: outcome.remote } };
    case "failed": {
      const { code, message } = describeError(outcome.failure);
      return { kind: "push_failed", data: { code, message } };
    }
    default:
      return { kind: "push_left_out", data: { why: outcome.push } };
  }
}
