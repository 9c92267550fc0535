/** Phase 1: the prompt is captured, and the repository is clean before anything new is made. */

import { ProductError } from "../../kernel/base/errors.ts";
import { type ChangeGroup, groupChanges } from "../../kernel/vcs/change-groups.ts";
import { renderIntent } from "../../kernel/vcs/intent-message.ts";
import { holdsHeading } from "../../kernel/vcs/session-message.ts";
import type { Author, Commit, WorkingCopyState } from "../../kernel/vcs/vcs.ts";
import { scanChanges } from "./scan-changes.ts";
import { openFindings, type SecretFinding, scanTexts, secretFound } from "./secret-scan.ts";
import { contextText } from "./session-context.ts";
import { actOf, type Desk, findAuthor, handOf } from "./session-desk.ts";
import { findBase } from "./session-range.ts";
import { appendEntry, listIntents, type NewEntry } from "./session-trail.ts";
import { insertSession, listSessionsOf, type Session } from "./sessions.ts";

export interface StartRequest {
  readonly prompt: string;
  readonly interpretation: string;
  readonly strategy: string;
  readonly constraints: readonly string[];
  readonly subject?: string | undefined;
  readonly projectId: string | undefined;
  /** A change whose knowledge the session counts on. */
  readonly reliesOn?: string | undefined;
  readonly commitExisting: boolean;
  /** Why what looks like a secret is none. */
  readonly allowSecret?: string | undefined;
}

export async function startSession(desk: Desk, request: StartRequest): Promise<Session> {
  const { kernel, vcs } = desk;
  const id = kernel.ids.next();
  const author = await findAuthor(desk);
  const texts = { prompt: request.prompt, context: contextText(request) };
  refuseHeadings(texts.context);
  const secrets = scanTexts(texts);
  refuseSecrets(secrets, request.allowSecret);
  return vcs.lock(async () => {
    const before = await vcs.workingCopy.look();
    if (before.conflicts.length > 0) throw conflicted(before.conflicts);
    const existing = await recordExisting(desk, { id, author, state: before, request });
    const { parent } = existing.length === 0 ? before : await vcs.workingCopy.look();
    const base = await findBase(vcs, parent, await listOpenIntents(desk));
    const reliesOn = await findParent(desk, request.reliesOn, parent);
    const operation = await vcs.workingCopy.operation();
    const entries: NewEntry[] = [
      { kind: "started", data: { base: base.changeId, operation } },
      ...existing.map(
        ({ changeId, message }): NewEntry => ({
          kind: "existing_recorded",
          data: { change: changeId, message },
        }),
      ),
      ...allowances(secrets, request.allowSecret),
      ...(reliesOn === undefined
        ? []
        : [{ kind: "relied_on" as const, data: { change: reliesOn.changeId } }]),
    ];
    const act = actOf(desk);
    const started = await kernel.store.write(function* () {
      const session = yield* insertSession(
        {
          ...request,
          subject: request.subject,
          id,
          repository: vcs.root,
          vcs: vcs.kind,
          author,
          base: { changeId: base.changeId, commitId: base.commitId, operation },
          reliesOn,
        },
        act,
      );
      for (const entry of entries) yield* appendEntry(id, entry, act);
      return session;
    });
    kernel.changes.notify();
    return started;
  });
}

async function listOpenIntents({ kernel, vcs }: Desk): Promise<readonly string[]> {
  return kernel.store.read(function* () {
    const ids: string[] = [];
    for (const { id } of yield* listSessionsOf(vcs.root, ["open", "finishing"])) {
      for (const { changeId } of yield* listIntents(id)) ids.push(changeId);
    }
    return ids;
  });
}

interface Existing {
  readonly id: string;
  readonly author: Author;
  readonly state: WorkingCopyState;
  readonly request: StartRequest;
}

/** What was there before the prompt is nobody's but its own: a commit for each group, or a refusal that shows them. */
async function recordExisting(
  desk: Desk,
  { id, author, state, request }: Existing,
): Promise<readonly Commit[]> {
  const { vcs, kernel } = desk;
  const groups = groupChanges(state.changes);
  if (groups.length === 0) return [];
  if (!request.commitExisting) throw dirty(groups);
  refuseSecrets(await scanChanges(vcs, state), request.allowSecret);
  const commits: Commit[] = [];
  for (const { what, paths } of groups) {
    const hand = handOf({ id, author }, kernel.clock.now());
    commits.push(await vcs.workingCopy.commit({ message: renderIntent(what), paths, hand }));
  }
  return commits;
}

export async function findParent(
  { vcs }: Desk,
  given: string | undefined,
  head: Commit,
): Promise<Session["reliesOn"]> {
  if (given === undefined) return undefined;
  const commit = (await vcs.history.findAll([given])).get(given);
  const isBelow =
    commit !== undefined && (await vcs.history.isAncestor(commit.commitId, head.commitId));
  if (commit !== undefined && isBelow) {
    return { changeId: commit.changeId, commitId: commit.commitId };
  }
  throw new ProductError(
    "session_parent_unknown",
    commit === undefined
      ? `There is no change "${given}".`
      : `The change "${given}" is not among what the working copy stands on.`,
    { kind: "not_found", hint: "Give the change id of a commit below the working copy." },
  );
}

function refuseSecrets(findings: readonly SecretFinding[], reason: string | undefined): void {
  if (reason === undefined && findings.length > 0) throw secretFound(findings);
}

export function allowances(
  findings: readonly SecretFinding[],
  reason: string | undefined,
): readonly NewEntry[] {
  if (reason === undefined || findings.length === 0) return [];
  return [
    {
      kind: "secret_allowed",
      data: {
        reason,
        findings: openFindings(findings, new Set()).map(({ place, label, hash }) => ({
          place,
          label,
          hash,
        })),
      },
    },
  ];
}

function refuseHeadings(context: string): void {
  if (!holdsHeading(context)) return;
  throw new ProductError(
    "session_context_heading",
    "The context holds a heading of the session's own message.",
    { hint: "Leave out lines such as `## Agent Context`; the message has its own." },
  );
}

const MOST_SHOWN = 5;

function dirty(groups: readonly ChangeGroup[]): ProductError {
  const shown = groups.map(({ place, paths }) => {
    const more = paths.length > MOST_SHOWN ? ` and ${paths.length - MOST_SHOWN} more` : "";
    return `${place} (${paths.slice(0, MOST_SHOWN).join(", ")}${more})`;
  });
  return new ProductError(
    "session_dirty",
    `The working copy holds changes from before, in ${groups.length === 1 ? "one group" : `${groups.length} groups`}: ${shown.join("; ")}.`,
    {
      kind: "conflict",
      hint: "Record them yourself, or let each group become an intent of its own first: --commit-existing",
      details: { groups },
    },
  );
}

function conflicted(paths: readonly string[]): ProductError {
  return new ProductError(
    "vcs_conflict",
    `The working copy holds unresolved conflicts: ${paths.slice(0, 10).join(", ")}.`,
    { kind: "conflict", hint: "Resolve them first.", details: { paths } },
  );
}
