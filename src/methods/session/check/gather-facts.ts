/** Everything that the invariants are judged by, looked up in the repository, at its remote and in our own records. */

import { ProductError } from "../../../kernel/base/errors.ts";
import { decode } from "../../../kernel/vcs/git-program.ts";
import { findIntentFault, INTENT_TITLE, parseIntent } from "../../../kernel/vcs/intent-message.ts";
import { isTold, REPORTS, TOLD_FOLDERS } from "../../../kernel/vcs/repository-path.ts";
import { parseSessionMessage } from "../../../kernel/vcs/session-message.ts";
import type { Commit, Vcs, WorkingCopyState } from "../../../kernel/vcs/vcs.ts";
import { findLoneSubjects } from "../counterparts.ts";
import { readFreshness } from "../freshness.ts";
import { findRemote } from "../push-session.ts";
import { listAllowed } from "../record-intent.ts";
import { parseReportHead } from "../report.ts";
import { scanCommits } from "../scan-changes.ts";
import { openFindings, type SecretFinding, scanText } from "../secret-scan.ts";
import { contextText } from "../session-context.ts";
import type { Desk } from "../session-desk.ts";
import { keptBookmark } from "../session-plan.ts";
import { resolveSetting } from "../session-settings.ts";
import { listClaims, listExisting, listIntents } from "../session-trail.ts";
import { listSessionsOf, type Session } from "../sessions.ts";
import type {
  FoundReport,
  RecordedFacts,
  References,
  RemoteFacts,
  SessionFacts,
} from "./judge-session.ts";

/** What is the same for all sessions that are checked together. */
export interface Surroundings {
  readonly desk: Desk;
  readonly state: WorkingCopyState;
  /** Everybody's in this repository, oldest first, without those given up. */
  readonly sessions: readonly Session[];
  /** Those among them that the caller sees. */
  readonly visible: readonly Session[];
  /** Intents that lie on a line of work, by the session they belong to. */
  readonly trailing: ReadonlyMap<string, readonly string[]>;
  readonly remote: string | undefined;
  readonly bookmark: string;
}

export async function lookAround(desk: Desk, projectId: string | undefined): Promise<Surroundings> {
  const { vcs, kernel, caller } = desk;
  const states = ["open", "finishing", "synthesised", "finished"] as const;
  const { sessions, visible, claims, bookmark } = await kernel.store.read(function* () {
    return {
      sessions: yield* listSessionsOf(vcs.root, states),
      visible: yield* listSessionsOf(vcs.root, states, caller),
      claims: new Map([...(yield* listExisting(vcs.root)), ...(yield* listClaims(vcs.root))]),
      bookmark: yield* resolveSetting("bookmark", projectId),
    };
  });
  return {
    desk,
    state: await vcs.workingCopy.look(),
    sessions,
    visible,
    trailing: await findTrailing(vcs, sessions, claims),
    remote: await findRemote(desk, { projectId }),
    bookmark,
  };
}

/** An intent that nobody has claimed belongs to the newest session that it could have been made in. */
async function findTrailing(
  { history }: Vcs,
  sessions: readonly Session[],
  claims: ReadonlyMap<string, string | undefined>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const bases = await history.findAll(sessions.map(({ base }) => base.changeId));
  for (const { changeId, commitId } of await history.list({ title: INTENT_TITLE })) {
    let owner = claims.get(changeId);
    for (const session of claims.has(changeId) ? [] : sessions.toReversed()) {
      const base = bases.get(session.base.changeId)?.commitId ?? session.base.commitId;
      if (base === commitId || !(await history.isAncestor(base, commitId))) continue;
      owner = session.id;
      break;
    }
    if (owner !== undefined) found.set(owner, [...(found.get(owner) ?? []), changeId]);
  }
  return found;
}

export async function gatherRecorded(
  around: Surroundings,
  session: Session,
): Promise<SessionFacts> {
  const { desk, state, sessions } = around;
  const { vcs } = desk;
  const { history } = vcs;
  const intents = await desk.kernel.store.read(() => listIntents(session.id));
  const isMulti = session.mode === "multi" && session.changeId !== undefined;
  const ids = isMulti
    ? intents.flatMap(({ changeId, duplicateId = [] }) => [changeId, duplicateId].flat())
    : [];
  const known = await history.findAll([
    ...(session.changeId === undefined ? [] : [session.changeId]),
    ...intents.map(({ changeId }) => changeId),
    ...ids,
  ]);
  const isComposed = session.state !== "open" && session.state !== "finishing";
  const commit = isComposed ? known.get(session.changeId ?? "") : undefined;
  const originals = intents.flatMap(({ changeId }) => known.get(changeId) ?? []);
  const told = commit === undefined ? [] : await listTold(vcs, commit);
  const message = commit === undefined ? undefined : parseSessionMessage(commit.message);
  const references = await gatherReferences(vcs, {
    commit,
    ids: [...new Set([...(message?.squashed ?? []), ...ids])],
    kept: keptBookmark(session.id),
    remote: undefined,
  });
  const bookmark = await history.findBookmark(session.bookmark ?? around.bookmark);
  const { reliesOn } = session;
  const recorded: RecordedFacts = {
    session,
    context: contextText(session),
    isOnBookmark:
      commit !== undefined &&
      bookmark !== undefined &&
      (await history.isAncestor(commit.commitId, bookmark.commitId)),
    trailing: around.trailing.get(session.id) ?? [],
    talkative: listTalkative(session, message?.before, commit, originals),
    working: {
      unrecorded: [...state.conflicts, ...state.changes.map(({ path }) => path)],
      isOnTop:
        commit !== undefined && (await history.isAncestor(commit.commitId, state.parent.commitId)),
      hasOthers: sessions.some(({ id, state: each }) => id !== session.id && each === "open"),
    },
    freshness:
      reliesOn === undefined
        ? undefined
        : await readFreshness(vcs, reliesOn, commit?.commitId ?? state.parent.commitId),
    secrets: await findSecretsIn(desk, session, commit, originals),
  };
  return {
    recorded,
    commit,
    message,
    references,
    report:
      commit === undefined ? undefined : await readReport(vcs, commit, session.reportPath ?? ""),
    scope: await scopeOf(vcs, commit, isMulti ? originals : []),
    lone: findLoneSubjects(told),
    remote: await gatherRemote(around, { session, commit, references }),
  };
}

/** What a commit alone tells: in a clone, or of a session that another workspace made. */
export async function gatherFromHistory(
  around: Surroundings,
  commit: Commit,
): Promise<SessionFacts> {
  const { vcs } = around.desk;
  const message = parseSessionMessage(commit.message);
  const report = await findReport(vcs, commit);
  const references = await gatherReferences(vcs, {
    commit,
    ids: message?.squashed ?? [],
    kept: report?.head.session === undefined ? undefined : keptBookmark(report.head.session),
    remote: around.remote,
  });
  return {
    recorded: undefined,
    commit,
    message,
    references,
    report,
    scope: await scopeOf(vcs, commit, []),
    lone: findLoneSubjects(await listTold(vcs, commit)),
    remote: await gatherRemote(around, {
      session: undefined,
      commit,
      references,
      keptName: report?.head.session === undefined ? undefined : keptBookmark(report.head.session),
    }),
  };
}

function listTalkative(
  session: Session,
  before: string | undefined,
  commit: Commit | undefined,
  originals: readonly Commit[],
): readonly string[] {
  const words = { prompt: session.prompt, context: contextText(session) };
  const isSingle = session.mode === "single" && commit !== undefined;
  const said = isSingle ? [{ changeId: commit.changeId, message: before ?? "" }] : originals;
  return said.flatMap(({ changeId, message }) => {
    const what = parseIntent(message);
    if (what === undefined) return [`${changeId} (more than one line)`];
    const fault = findIntentFault(what, words);
    return fault === undefined ? [] : [`${changeId} (${fault})`];
  });
}

interface ReferenceFacts {
  readonly commit: Commit | undefined;
  readonly ids: readonly string[];
  readonly kept: string | undefined;
  /** Where the bookmark may also be seen, in a clone. */
  readonly remote: string | undefined;
}

async function gatherReferences(
  { history }: Vcs,
  { commit, ids, kept: name, remote }: ReferenceFacts,
): Promise<References> {
  if (commit === undefined || ids.length === 0) return { ids, dead: [], unkept: [] };
  const found = await history.findAll(ids);
  const dead = ids.filter((id) => !found.has(id));
  const kept =
    name === undefined
      ? undefined
      : ((await history.findBookmark(name)) ??
        (remote === undefined ? undefined : await history.findBookmark(name, remote)));
  const [below = ""] = commit.parents;
  const held = kept === undefined ? [] : await history.list({ after: below, upTo: kept.commitId });
  const isHeld = new Set(held.map(({ changeId }) => changeId));
  return { ids, dead, unkept: ids.filter((id) => found.has(id) && !isHeld.has(id)) };
}

interface RemoteQuestion {
  readonly session: Session | undefined;
  readonly commit: Commit | undefined;
  readonly references: References;
  readonly keptName?: string | undefined;
}

async function gatherRemote(
  { desk: { vcs }, remote, bookmark: usual }: Surroundings,
  { session, commit, references, keptName }: RemoteQuestion,
): Promise<RemoteFacts> {
  if (session?.push === "off") return { kind: "off" };
  if (remote === undefined) return { kind: "none" };
  const bookmark = session?.bookmark ?? usual;
  const kept = session === undefined ? keptName : keptBookmark(session.id);
  try {
    const names = [bookmark, ...(kept === undefined ? [] : [kept])];
    const heads = await vcs.remotes.heads(remote, names);
    const there = names.filter((name) => heads.has(name));
    await vcs.remotes.bring(remote, there);
    const isReachable = async (commitId: string) => {
      for (const head of heads.values()) {
        if (await vcs.history.isAncestor(commitId, head)) return true;
      }
      return false;
    };
    const head = heads.get(bookmark);
    const found = await vcs.history.findAll(references.ids);
    const missing: string[] = [];
    for (const id of references.ids) {
      const known = found.get(id);
      if (known === undefined || !(await isReachable(known.commitId))) missing.push(id);
    }
    return {
      kind: "seen",
      name: remote,
      bookmark,
      holdsCommit:
        commit !== undefined &&
        head !== undefined &&
        (await vcs.history.isAncestor(commit.commitId, head)),
      missing,
    };
  } catch (error) {
    if (error instanceof ProductError && error.code === "remote_unreachable")
      return { kind: "unreachable", why: error.message };
    throw error;
  }
}

async function readReport(
  { history }: Vcs,
  { commitId }: Commit,
  path: string,
): Promise<FoundReport | undefined> {
  const bytes = path === "" ? undefined : (await history.read(commitId, [path])).get(path);
  return bytes === undefined ? undefined : { path, head: parseReportHead(decode(bytes)) };
}

async function findReport({ history }: Vcs, commit: Commit): Promise<FoundReport | undefined> {
  const touched = await history.listTouched([commit.commitId]);
  const paths = touched.filter(
    (path) =>
      path.startsWith(`${REPORTS}/`) && path.endsWith(".md") && !path.endsWith("/README.md"),
  );
  const reports = [...(await history.read(commit.commitId, paths))].map(([path, bytes]) => ({
    path,
    head: parseReportHead(decode(bytes)),
  }));
  return reports.find(({ head }) => head.change === commit.changeId) ?? reports[0];
}

async function scopeOf(
  { history }: Vcs,
  commit: Commit | undefined,
  originals: readonly Commit[],
): Promise<SessionFacts["scope"]> {
  if (commit === undefined) return undefined;
  const commits = originals.length === 0 ? [commit] : originals;
  const touched = await history.listTouched(commits.map(({ commitId }) => commitId));
  return touched.some((path) => !isTold(path)) ? "modified-files" : "no-files";
}

async function listTold({ history }: Vcs, { commitId }: Commit): Promise<readonly string[]> {
  return (await history.listFiles(commitId, TOLD_FOLDERS)).map(({ path }) => path);
}

async function findSecretsIn(
  desk: Desk,
  session: Session,
  commit: Commit | undefined,
  originals: readonly Commit[],
): Promise<readonly SecretFinding[]> {
  const commits = [...(commit === undefined ? [] : [commit]), ...originals];
  const findings = [
    ...scanText("prompt", session.prompt),
    ...scanText("context", contextText(session)),
    ...commits.flatMap(({ changeId, message }) => scanText(`message of ${changeId}`, message)),
    ...(await scanCommits(desk.vcs, commits)),
  ];
  return openFindings(findings, await listAllowed(desk, session.id));
}
