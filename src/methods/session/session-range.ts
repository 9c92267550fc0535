/** Which commits belong to a session, and what it stands on. */

import { ProductError } from "../../kernel/base/errors.ts";
import { isIntent, parseIntent } from "../../kernel/vcs/intent-message.ts";
import type { Commit, Vcs } from "../../kernel/vcs/vcs.ts";
import type { Intent } from "./session-trail.ts";
import type { Session } from "./sessions.ts";

/**
 * The newest commit below the working copy that no open session has an intent in: what others are still working on
 * must not become part of what this one finishes.
 */
export async function findBase(
  vcs: Vcs,
  head: Commit,
  openIntents: readonly string[],
): Promise<Commit> {
  const intents = [...(await vcs.history.findAll(openIntents)).values()];
  let base = head;
  for (const intent of intents) {
    if (!(await vcs.history.isAncestor(intent.commitId, base.commitId))) continue;
    const [parent = ""] = intent.parents;
    base = (await vcs.history.findAll([parent])).get(parent) ?? base;
  }
  return base;
}

export interface Range {
  readonly base: Commit;
  /** Oldest first, parallel lines too. */
  readonly originals: readonly Commit[];
  /** Those among them that nobody recorded. */
  readonly found: readonly Commit[];
}

export interface RangeFacts {
  readonly intents: readonly Intent[];
  /** By change id, the session that has it; nobody's where it was there before one. */
  readonly claims: ReadonlyMap<string, string | undefined>;
  /** Others that are open in the same repository. */
  readonly others: readonly Session[];
}

export async function readRange(vcs: Vcs, session: Session, facts: RangeFacts): Promise<Range> {
  const base = await getBase(vcs, session);
  const lines = await vcs.history.list({ after: base.commitId });
  const recorded = new Set(facts.intents.map(({ changeId }) => changeId));
  const found = lines.filter(
    ({ changeId, message }) =>
      isIntent(message) && !recorded.has(changeId) && !facts.claims.has(changeId),
  );
  if (found.length > 0) await refuseUnclaimed(vcs, found, facts.others);
  const ours = new Set([...recorded, ...found.map(({ changeId }) => changeId)]);
  const originals = lines.filter(({ changeId }) => ours.has(changeId));
  refuseLost(facts.intents, originals);
  refuseUnfit(originals);
  return { base, originals, found };
}

/** Change ids outlive rewriting; where there is none, the commit itself has to be there. */
export async function getBase(vcs: Vcs, { base }: Session): Promise<Commit> {
  const found = await vcs.history.findAll([base.changeId, base.commitId]);
  const commit = found.get(base.changeId) ?? found.get(base.commitId);
  if (commit !== undefined) return commit;
  throw new ProductError(
    "session_base_gone",
    `The change ${base.changeId} that the session began on is not there any more.`,
    { kind: "conflict", hint: "Bring it back, or give the session up: session abandon" },
  );
}

/** An intent made by hand belongs to the session that could have made it; with several of them nobody can tell. */
async function refuseUnclaimed(
  vcs: Vcs,
  found: readonly Commit[],
  others: readonly Session[],
): Promise<void> {
  for (const other of others) {
    const { commitId } = await getBase(vcs, other);
    for (const commit of found) {
      if (!(await vcs.history.isAncestor(commitId, commit.commitId))) continue;
      throw new ProductError(
        "session_intents_unclaimed",
        `The intent ${commit.changeId} may belong to this session or to ${other.id}.`,
        {
          kind: "conflict",
          hint: `Say whose it is: session intent --change ${commit.changeId} --session …`,
          details: { changes: found.map(({ changeId }) => changeId) },
        },
      );
    }
  }
}

function refuseLost(intents: readonly Intent[], originals: readonly Commit[]): void {
  const there = new Set(originals.map(({ changeId }) => changeId));
  const lost = intents.filter(({ changeId }) => !there.has(changeId));
  if (lost.length === 0) return;
  throw new ProductError(
    "session_intent_lost",
    `Of the session's intents these are not on any line of work: ${lost.map(({ changeId }) => changeId).join(", ")}.`,
    {
      kind: "conflict",
      hint: "Bring them back (jj op log, git reflog), or give the session up: session abandon",
      details: { changes: lost.map(({ changeId }) => changeId) },
    },
  );
}

function refuseUnfit(originals: readonly Commit[]): void {
  const conflicted = originals.find(({ isConflicted }) => isConflicted);
  if (conflicted !== undefined) {
    throw new ProductError("vcs_conflict", `The change ${conflicted.changeId} holds a conflict.`, {
      kind: "conflict",
      hint: "Resolve it first.",
    });
  }
  const long = originals.find(({ message }) => parseIntent(message) === undefined);
  if (long === undefined) return;
  throw new ProductError(
    "session_intent_long",
    `The commit of ${long.changeId} says more than its one line "intent: …".`,
    {
      kind: "conflict",
      hint: "Shorten it (jj describe, git commit --amend); the rest belongs to the session.",
    },
  );
}

export interface OntoFacts {
  readonly base: Commit;
  readonly originals: readonly Commit[];
  /** Intents of sessions that are still open, by change id. */
  readonly openIntents: readonly string[];
  readonly bookmark: string;
  readonly remote: string | undefined;
}

/** What the session's commit will stand on: where its bookmark has got to meanwhile, else where the session began. */
export async function chooseOnto(
  { history }: Vcs,
  { base, originals, openIntents, bookmark, remote }: OntoFacts,
): Promise<Commit> {
  const candidates = [
    await history.findBookmark(bookmark),
    remote === undefined ? undefined : await history.findBookmark(bookmark, remote),
  ];
  const unfinished = [...originals, ...(await history.findAll(openIntents)).values()].map(
    ({ commitId }) => commitId,
  );
  let onto = base;
  for (const candidate of candidates) {
    if (candidate === undefined || candidate.commitId === onto.commitId) continue;
    const { commitId } = candidate;
    if (await history.isAncestor(commitId, onto.commitId)) continue;
    if (await containsAny(history, commitId, unfinished)) continue;
    if (!(await history.isAncestor(onto.commitId, commitId)))
      throw hasDiverged(bookmark, candidate);
    onto = candidate;
  }
  return onto;
}

async function containsAny(
  history: Vcs["history"],
  commitId: string,
  others: readonly string[],
): Promise<boolean> {
  for (const other of others) if (await history.isAncestor(other, commitId)) return true;
  return false;
}

function hasDiverged(bookmark: string, { changeId }: Commit): ProductError {
  return new ProductError(
    "session_diverged",
    `"${bookmark}" stands on another line of work (${changeId}) than this session.`,
    {
      kind: "conflict",
      hint: "Bring the session's commits on top of it (jj rebase, git rebase), then finish again.",
    },
  );
}
