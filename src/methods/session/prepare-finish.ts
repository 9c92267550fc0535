/** Everything that is looked at and decided before a session's commits are touched. */

import { ProductError } from "../../kernel/base/errors.ts";
import { isTold } from "../../kernel/vcs/repository-path.ts";
import type { Commit, WorkingCopyState } from "../../kernel/vcs/vcs.ts";
import type { FinishRequest } from "./finish-request.ts";
import { requireFresh } from "./freshness.ts";
import { findRemote, wantsPush } from "./push-session.ts";
import { listAllowed } from "./record-intent.ts";
import { scanChanges, scanCommits } from "./scan-changes.ts";
import { openFindings, type SecretFinding, scanTexts, secretFound } from "./secret-scan.ts";
import { contextText } from "./session-context.ts";
import type { Desk } from "./session-desk.ts";
import type { SessionPlan } from "./session-plan.ts";
import { chooseOnto, readRange } from "./session-range.ts";
import { resolveSetting } from "./session-settings.ts";
import { listSubjects } from "./session-subjects.ts";
import type { ChangeScope, ReportKind, SynthesisMode } from "./session-tables.ts";
import { listClaims, listExisting, listIntents, type NewEntry } from "./session-trail.ts";
import { listSessionsOf, type Session } from "./sessions.ts";
import { allowances } from "./start-session.ts";
import { joinSubjects, type KnownSubject, resolveSubject } from "./subjects.ts";
import { readToldFiles } from "./told-files.ts";

export interface Preparation {
  readonly words: FinishWords;
  readonly plan: SessionPlan;
  readonly mode: SynthesisMode;
  readonly scope: ChangeScope;
  readonly originals: readonly Commit[];
  readonly found: readonly Commit[];
  readonly subjects: readonly KnownSubject[];
  /** What lies in the folders of reports and strategies. */
  readonly told: readonly string[];
  readonly allowed: readonly NewEntry[];
}

export interface FinishWords {
  readonly summary: string;
  readonly answer: string;
  readonly title: string;
  readonly kind: ReportKind;
  readonly subject: string;
}

export async function prepareFinish(
  desk: Desk,
  session: Session,
  request: FinishRequest,
): Promise<Preparation> {
  const { vcs, kernel } = desk;
  const state = await vcs.workingCopy.look();
  refuseUnfinished(state);
  await requireFresh(vcs, session, state.parent.commitId);
  const facts = await readFacts(desk, session, request);
  const { base, originals, found } = await readRange(vcs, session, facts);
  const touched = await vcs.history.listTouched(originals.map(({ commitId }) => commitId));
  const words = wordsOf(session, request);
  const secrets = await findOpenSecrets(desk, { session, words, originals, state });
  if (secrets.length > 0 && request.allowSecret === undefined) throw secretFound(secrets);
  const { bookmark } = facts;
  const remote = await bringBookmark(desk, session, request, bookmark);
  const { openIntents } = facts;
  const onto = await chooseOnto(vcs, { base, originals, openIntents, bookmark, remote });
  const told = await readToldFiles(vcs, [...headsOf(originals), onto], state);
  const subjects = joinSubjects(facts.registered, told.folders);
  const isNew = request.isNewSubject === true || facts.givenSubject === undefined;
  const subject = resolveSubject(facts.givenSubject ?? facts.usualSubject, subjects, isNew);
  return {
    words: { ...words, subject },
    plan: {
      at: isSameWork(session, originals) ? session.plan.at : kernel.clock.now(),
      operation: await vcs.workingCopy.operation(),
      onto: onto.commitId,
      bookmark,
      originals: originals.map(({ changeId }) => changeId),
    },
    mode: originals.length === 0 ? "none" : originals.length === 1 ? "single" : "multi",
    scope: touched.some((path) => !isTold(path)) ? "modified-files" : "no-files",
    originals,
    found,
    subjects,
    told: told.paths,
    allowed: allowances(secrets, request.allowSecret),
  };
}

async function readFacts({ kernel, vcs }: Desk, session: Session, request: FinishRequest) {
  const { projectId } = session;
  return kernel.store.read(function* () {
    const open = yield* listSessionsOf(vcs.root, ["open", "finishing"]);
    const others = open.filter(({ id }) => id !== session.id);
    const openIntents: string[] = [];
    for (const { id } of others) {
      for (const { changeId } of yield* listIntents(id)) openIntents.push(changeId);
    }
    const target = request.isRelease === true ? "releaseBookmark" : "bookmark";
    return {
      intents: yield* listIntents(session.id),
      claims: new Map([...(yield* listExisting(vcs.root)), ...(yield* listClaims(vcs.root))]),
      others,
      openIntents,
      bookmark: yield* resolveSetting(target, projectId),
      registered: yield* listSubjects(vcs.root),
      givenSubject: request.subject ?? session.subject,
      usualSubject: yield* resolveSetting("subject", projectId),
    };
  });
}

function refuseUnfinished({ changes, conflicts }: WorkingCopyState): void {
  const open = [...conflicts, ...changes.map(({ path }) => path).filter((path) => !isTold(path))];
  if (open.length === 0) return;
  throw new ProductError(
    "session_uncommitted",
    `The working copy holds changes that no intent has recorded: ${open.slice(0, 10).join(", ")}${open.length > 10 ? ` and ${open.length - 10} more` : ""}.`,
    {
      kind: "conflict",
      hint: 'Record them first: session intent "…"',
      details: { paths: open },
    },
  );
}

/** Whoever finishes again after a crash gets the dates and names of the first try; after more work it is a new end. */
function isSameWork(
  session: Session,
  originals: readonly Commit[],
): session is Session & { readonly plan: SessionPlan } {
  const before = session.plan?.originals;
  return (
    before?.length === originals.length &&
    originals.every(({ changeId }, i) => changeId === before[i])
  );
}

function wordsOf(session: Session, request: FinishRequest): Omit<FinishWords, "subject"> {
  const summary = request.summary ?? session.summary;
  if (summary === undefined || summary.trim() === "" || /[\n\r\0]/.test(summary)) {
    throw new ProductError(
      "session_summary_missing",
      "A session is summed up in one line that says what was achieved.",
      { hint: 'session finish "Settings are read once"' },
    );
  }
  return {
    summary,
    answer: request.answer ?? ownWords(session, session.answer) ?? summary,
    title: request.title ?? ownWords(session, session.title) ?? summary,
    kind: request.kind ?? session.kind ?? "answer",
  };
}

/** What only stood in for the summary of an earlier try does not outlive it. */
function ownWords({ summary }: Session, text: string | undefined): string | undefined {
  return text === summary ? undefined : text;
}

async function findOpenSecrets(
  desk: Desk,
  {
    session,
    words,
    originals,
    state,
  }: {
    readonly session: Session;
    readonly words: Omit<FinishWords, "subject">;
    readonly originals: readonly Commit[];
    readonly state: WorkingCopyState;
  },
): Promise<readonly SecretFinding[]> {
  const { vcs } = desk;
  const { summary, answer, title } = words;
  const findings = [
    ...scanTexts({ prompt: session.prompt, context: contextText(session), summary, answer, title }),
    ...originals.flatMap(({ changeId, message }) => scanTexts({ [`intent ${changeId}`]: message })),
    ...(await scanCommits(vcs, originals)),
    ...(await scanChanges(vcs, state)),
  ];
  return openFindings(findings, await listAllowed(desk, session.id));
}

/** Those that no other of them stands on. */
function headsOf(commits: readonly Commit[]): readonly Commit[] {
  const parents = new Set(commits.flatMap((commit) => commit.parents));
  return commits.filter(({ commitId }) => !parents.has(commitId));
}

/** Where the bookmark is at the remote should be known before the commit is placed; if it cannot be, pushing will tell. */
async function bringBookmark(
  desk: Desk,
  session: Session,
  request: FinishRequest,
  bookmark: string,
): Promise<string | undefined> {
  const { remotes, history } = desk.vcs;
  if (!(await wantsPush(desk, session, request))) return undefined;
  const remote = await findRemote(desk, session);
  if (remote === undefined) return undefined;
  try {
    const head = (await remotes.heads(remote, [bookmark])).get(bookmark);
    const seen = await history.findBookmark(bookmark, remote);
    if (head !== undefined && head !== seen?.commitId) await remotes.fetch(remote, bookmark);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  }
  return remote;
}

function isUnreachable(error: unknown): boolean {
  return error instanceof ProductError && error.code === "remote_unreachable";
}
