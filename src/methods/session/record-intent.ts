/** Phase 2: one change, one commit, one line. */

import { ProductError } from "../../kernel/base/errors.ts";
import { parseIntent, refuseIntent, renderIntent } from "../../kernel/vcs/intent-message.ts";
import { requireRepositoryPath } from "../../kernel/vcs/repository-path.ts";
import type { Commit, Vcs, WorkingCopyState } from "../../kernel/vcs/vcs.ts";
import { nothingChanged } from "../../kernel/vcs/vcs-errors.ts";
import { requireFresh } from "./freshness.ts";
import { scanChanges } from "./scan-changes.ts";
import { openFindings, type SecretFinding, scanText, secretFound } from "./secret-scan.ts";
import { contextText } from "./session-context.ts";
import { actOf, type Desk, handOf, requireState } from "./session-desk.ts";
import { getBase } from "./session-range.ts";
import {
  appendEntry,
  appendIntents,
  listEntries,
  listIntents,
  type NewIntent,
} from "./session-trail.ts";
import { getSession, type Session } from "./sessions.ts";
import { allowances } from "./start-session.ts";

export interface IntentRequest {
  readonly what: string;
  readonly paths?: readonly string[] | undefined;
  readonly allowSecret?: string | undefined;
  /** The job of a run whose turn it was. */
  readonly jobId?: string | undefined;
}

export async function recordIntent(
  desk: Desk,
  sessionId: string,
  request: IntentRequest,
): Promise<Commit> {
  const { vcs, kernel, caller } = desk;
  return vcs.lock(async () => {
    const session = await kernel.store.read(() => getSession(sessionId, caller));
    requireState(session, ["open"]);
    return commitIntent(desk, session, request);
  });
}

/** With the repository's lock in hand. */
export async function commitIntent(
  desk: Desk,
  session: Session,
  { what, paths: given, allowSecret, jobId }: IntentRequest,
): Promise<Commit> {
  const { vcs, kernel } = desk;
  refuseIntent(what, { prompt: session.prompt, context: contextText(session) });
  const state = await vcs.workingCopy.look();
  await requireFresh(vcs, session, state.parent.commitId);
  await requireOnLine(vcs, session, state.parent);
  const paths = given?.map(requireRepositoryPath);
  refuseUnchanged(state, paths);
  const isMeant = (file: string) =>
    paths === undefined || paths.some((each) => file === each || file.startsWith(`${each}/`));
  const findings = [...scanText("intent", what), ...(await scanChanges(vcs, state, isMeant))];
  const unknown = openFindings(findings, await listAllowed(desk, session.id));
  if (unknown.length > 0 && allowSecret === undefined) throw secretFound(unknown);
  const hand = handOf(session, kernel.clock.now());
  const message = renderIntent(what);
  const commit = await vcs.workingCopy.commit({
    message,
    hand,
    ...(paths === undefined ? {} : { paths }),
  });
  const source = jobId === undefined ? "recorded" : "run";
  await keepIntent(
    desk,
    session,
    { changeId: commit.changeId, what, source, jobId },
    unknown,
    allowSecret,
  );
  return commit;
}

/** Takes a commit that somebody made by hand for one of the session's. */
export async function adoptIntent(desk: Desk, sessionId: string, given: string): Promise<Commit> {
  const { vcs, kernel, caller } = desk;
  return vcs.lock(async () => {
    const session = await kernel.store.read(() => getSession(sessionId, caller));
    requireState(session, ["open"]);
    const commit = (await vcs.history.findAll([given])).get(given);
    const what = commit === undefined ? undefined : parseIntent(commit.message);
    if (commit === undefined || what === undefined) throw noIntent(given);
    await requireOnLine(vcs, session, commit);
    const intents = await kernel.store.read(() => listIntents(session.id));
    if (intents.some(({ changeId }) => changeId === commit.changeId)) return commit;
    await keepIntent(desk, session, { changeId: commit.changeId, what, source: "found" }, []);
    return commit;
  });
}

async function keepIntent(
  desk: Desk,
  { id }: Session,
  intent: NewIntent,
  findings: readonly SecretFinding[],
  allowSecret?: string,
): Promise<void> {
  const { kernel } = desk;
  const act = actOf(desk);
  await kernel.store.write(function* () {
    for (const entry of allowances(findings, allowSecret)) yield* appendEntry(id, entry, act);
    yield* appendIntents(id, [intent], act.now);
    const { changeId, what, source, jobId } = intent;
    const data = { change: changeId, what, source, ...(jobId === undefined ? {} : { job: jobId }) };
    yield* appendEntry(id, { kind: "intent_recorded", data }, act);
  });
  kernel.changes.notify();
}

/** Hashes of what was said to be no secret. */
export async function listAllowed(
  { kernel }: Pick<Desk, "kernel">,
  sessionId: string,
): Promise<ReadonlySet<string>> {
  const entries = await kernel.store.read(() => listEntries(sessionId));
  return new Set(
    entries
      .filter(({ kind }) => kind === "secret_allowed")
      .flatMap(({ data }) => (data as { findings: readonly { hash: string }[] }).findings)
      .map(({ hash }) => hash),
  );
}

async function requireOnLine(vcs: Vcs, session: Session, commit: Commit): Promise<void> {
  const base = await getBase(vcs, session);
  if (await vcs.history.isAncestor(base.commitId, commit.commitId)) return;
  throw new ProductError(
    "session_elsewhere",
    `What is checked out here does not stand on the change ${base.changeId} that the session began on.`,
    { kind: "conflict", hint: "Go back to the session's line of work, or to one beside it." },
  );
}

function refuseUnchanged(
  { changes }: WorkingCopyState,
  paths: readonly string[] | undefined,
): void {
  if (changes.length === 0) throw nothingChanged();
  const unchanged = (paths ?? []).filter(
    (each) => !changes.some(({ path }) => path === each || path.startsWith(`${each}/`)),
  );
  if (unchanged.length === 0) return;
  throw new ProductError(
    "path_unchanged",
    `Nothing changed in ${unchanged.map((each) => JSON.stringify(each)).join(", ")}.`,
    {
      kind: "conflict",
      hint: "Name only paths that changed, or none at all.",
      details: { unchanged },
    },
  );
}

function noIntent(given: string): ProductError {
  return new ProductError("session_no_intent", `"${given}" is no commit that says "intent: …".`, {
    kind: "not_found",
    hint: "Give its change id; its message is one line.",
  });
}
