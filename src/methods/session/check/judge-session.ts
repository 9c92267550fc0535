/** The completion invariants as pure functions over what was found: one judgement each, always all of them. */

import { chronosLine } from "../../../kernel/vcs/chronos.ts";
import { isIntent } from "../../../kernel/vcs/intent-message.ts";
import type { SessionMessage } from "../../../kernel/vcs/session-message.ts";
import { SESSION_TITLE } from "../../../kernel/vcs/session-message.ts";
import type { Commit } from "../../../kernel/vcs/vcs.ts";
import { FRESHNESS_WORDS, type Freshness } from "../freshness.ts";
import type { ReportHead } from "../report.ts";
import type { SecretFinding } from "../secret-scan.ts";
import { CHANGE_SCOPES, type ChangeScope, REPORT_KINDS } from "../session-tables.ts";
import type { Session } from "../sessions.ts";
import type { InvariantCode, Judgement } from "./invariant.ts";

export interface SessionFacts {
  /** Undefined where only the history knows of it: a clone, or another workspace's. */
  readonly recorded: RecordedFacts | undefined;
  /** Undefined as long as there is none, or where it is gone. */
  readonly commit: Commit | undefined;
  readonly message: SessionMessage | undefined;
  readonly references: References;
  readonly report: FoundReport | undefined;
  /** What the commits really touched. */
  readonly scope: ChangeScope | undefined;
  /** Subjects that stand on one side only. */
  readonly lone: readonly string[];
  readonly remote: RemoteFacts;
}

export interface RecordedFacts {
  readonly session: Session;
  readonly context: string;
  readonly isOnBookmark: boolean;
  /** Intents that lie on a line of work still. */
  readonly trailing: readonly string[];
  /** Intents that say too much, and what. */
  readonly talkative: readonly string[];
  readonly working: WorkingFacts;
  /** Undefined where it relies on nothing. */
  readonly freshness: Freshness | undefined;
  readonly secrets: readonly SecretFinding[];
}

export interface WorkingFacts {
  readonly unrecorded: readonly string[];
  /** The working copy stands on the session's commit. */
  readonly isOnTop: boolean;
  /** Others are at work here: what is unrecorded may be theirs. */
  readonly hasOthers: boolean;
}

export interface References {
  /** Every id that the message or the session lists. */
  readonly ids: readonly string[];
  readonly dead: readonly string[];
  /** Alive, but by chance: the bookmark of the session does not hold them. */
  readonly unkept: readonly string[];
}

export interface FoundReport {
  readonly path: string;
  readonly head: Partial<Record<keyof ReportHead, string>>;
}

export type RemoteFacts =
  | { readonly kind: "none" | "off" }
  | { readonly kind: "unreachable"; readonly why: string }
  | {
      readonly kind: "seen";
      readonly name: string;
      readonly bookmark: string;
      readonly holdsCommit: boolean;
      /** Ids that a clone would not resolve. */
      readonly missing: readonly string[];
    };

export function judgeSession(facts: SessionFacts): readonly Judgement[] {
  return [
    judgeState(facts),
    judgeHead(facts),
    judgeMessage(facts),
    judgeDate(facts),
    judgeIntents(facts),
    judgeReferences(facts),
    judgeRemoteReferences(facts),
    judgeReport(facts),
    judgeScope(facts),
    judgeCounterpart(facts),
    judgeTree(facts),
    judgeChild(facts),
    judgePush(facts),
    judgeParent(facts),
    judgeSecrets(facts),
  ];
}

function holds(code: InvariantCode, says: string): Judgement {
  return { code, verdict: "holds", says };
}

function breach(code: InvariantCode, says: string): Judgement {
  return { code, verdict: "breach", says };
}

function notApplicable(code: InvariantCode, says: string): Judgement {
  return { code, verdict: "not_applicable", says };
}

const ONLY_HISTORY = "Only the history knows of this session.";
const NOT_YET = "The session has no commit yet.";

/** What cannot be judged before there is a commit. A finished session that lost its commit is judged, and fails. */
function withoutCommit(code: InvariantCode, { recorded }: SessionFacts): Judgement {
  const isEarly = recorded?.session.state === "open" || recorded?.session.state === "finishing";
  if (isEarly) return notApplicable(code, NOT_YET);
  const { changeId = "?" } = recorded?.session ?? {};
  return breach(code, `The session's commit ${changeId} is not there.`);
}

function judgeState({ recorded }: SessionFacts): Judgement {
  const code = "session_finished";
  if (recorded === undefined) return notApplicable(code, ONLY_HISTORY);
  const { state, pushReason } = recorded.session;
  if (state === "finished") return holds(code, "Finished.");
  const why = state === "synthesised" && pushReason !== undefined ? ` (${pushReason})` : "";
  return breach(code, `The session is ${state}${why}. Finish it: session finish`);
}

function judgeHead(facts: SessionFacts): Judgement {
  const code = "head_is_session";
  const { recorded, commit } = facts;
  if (recorded === undefined) return notApplicable(code, ONLY_HISTORY);
  if (commit === undefined) return withoutCommit(code, facts);
  const { bookmark = "" } = recorded.session;
  if (!commit.message.startsWith(`${SESSION_TITLE} `))
    return breach(code, `The commit of ${commit.changeId} no longer begins with "session:".`);
  if (!recorded.isOnBookmark)
    return breach(code, `"${bookmark}" does not hold the session's commit.`);
  if (recorded.trailing.length > 0) {
    return breach(
      code,
      `Intents of it trail outside of its commit: ${listed(recorded.trailing)}. Take them into a session of their own.`,
    );
  }
  return holds(code, `${commit.changeId} on "${bookmark}".`);
}

function judgeMessage(facts: SessionFacts): Judgement {
  const code = "message_shape";
  const { recorded, commit, message } = facts;
  if (commit === undefined) return withoutCommit(code, facts);
  if (message === undefined)
    return breach(code, `The message of ${commit.changeId} is not of the form that sessions have.`);
  const empty =
    message.prompt.trim() === "" ? "prompt" : message.context.trim() === "" ? "context" : undefined;
  if (empty !== undefined) return breach(code, `The message holds no ${empty}.`);
  if (recorded === undefined) return holds(code, "All sections are there.");
  const { prompt, mode } = recorded.session;
  if (message.prompt !== prompt)
    return breach(code, "The message does not hold the prompt as it was given.");
  if (message.context !== recorded.context)
    return breach(code, "The message does not hold the context as it was given.");
  const isMulti = mode === "multi";
  if (isMulti !== (message.squashed !== undefined)) {
    return breach(
      code,
      isMulti
        ? "Commits were squashed, but the message lists no ids of them."
        : "Nothing was squashed, but the message lists ids.",
    );
  }
  const before = message.before ?? "";
  if (mode === "single" && !isIntent(before))
    return breach(code, "The message does not end with what the only intent said.");
  return holds(code, "All sections are there, the prompt as it was given.");
}

function judgeDate(facts: SessionFacts): Judgement {
  const code = "date_line";
  const { recorded, commit, message } = facts;
  if (commit === undefined) return withoutCommit(code, facts);
  const line = message?.chronos ?? commit.message.split("\n")[1] ?? "";
  if (message === undefined) return breach(code, `"${line}" is no chronos date.`);
  const at = recorded?.session.plan?.at;
  const due = at === undefined ? line : chronosLine(at);
  return due === line
    ? holds(code, line)
    : breach(code, `The date line says "${line}", but the session ended at "${due}".`);
}

function judgeIntents({ recorded }: SessionFacts): Judgement {
  const code = "intents_minimal";
  if (recorded === undefined) return notApplicable(code, ONLY_HISTORY);
  const { talkative } = recorded;
  return talkative.length === 0
    ? holds(code, "Each intent is one line of its own words.")
    : breach(code, `These say more than their own line: ${listed(talkative)}.`);
}

function judgeReferences(facts: SessionFacts): Judgement {
  const code = "references_alive";
  const { references, commit } = facts;
  if (commit === undefined) return withoutCommit(code, facts);
  const { ids, dead, unkept } = references;
  if (ids.length === 0) return notApplicable(code, "It lists no ids.");
  if (dead.length > 0) return breach(code, `These ids resolve to nothing: ${listed(dead)}.`);
  if (unkept.length > 0)
    return breach(code, `No bookmark of the session keeps these alive: ${listed(unkept)}.`);
  return holds(code, `All ${ids.length} ids resolve and are kept.`);
}

function judgeRemoteReferences(facts: SessionFacts): Judgement {
  const code = "references_at_remote";
  const { remote, references, commit } = facts;
  if (commit === undefined) return withoutCommit(code, facts);
  if (references.ids.length === 0) return notApplicable(code, "It lists no ids.");
  return judgeAtRemote(code, remote, ({ name, missing }) =>
    missing.length === 0
      ? holds(code, `A clone of ${name} resolves all ${references.ids.length} ids.`)
      : breach(code, `A clone of ${name} would not resolve: ${listed(missing)}.`),
  );
}

function judgePush(facts: SessionFacts): Judgement {
  const code = "pushed";
  const { remote, commit, recorded } = facts;
  if (recorded === undefined) return notApplicable(code, ONLY_HISTORY);
  if (commit === undefined) return withoutCommit(code, facts);
  return judgeAtRemote(code, remote, ({ name, bookmark, holdsCommit }) =>
    holdsCommit
      ? holds(code, `"${bookmark}" at ${name} holds it.`)
      : breach(
          code,
          `"${bookmark}" at ${name} does not hold the session's commit. Push it: session finish`,
        ),
  );
}

function judgeAtRemote(
  code: InvariantCode,
  remote: RemoteFacts,
  judge: (seen: RemoteFacts & { readonly kind: "seen" }) => Judgement,
): Judgement {
  switch (remote.kind) {
    case "none":
      return notApplicable(code, "There is no remote.");
    case "off":
      return notApplicable(code, "Pushing was left out.");
    case "unreachable":
      return breach(code, remote.why);
    case "seen":
      return judge(remote);
  }
}

function judgeReport(facts: SessionFacts): Judgement {
  const code = "report_present";
  const { recorded, commit, report } = facts;
  if (commit === undefined) return withoutCommit(code, facts);
  if (report === undefined) {
    const { reportPath } = recorded?.session ?? {};
    return breach(
      code,
      `The commit holds no report${reportPath === undefined ? "" : ` at ${reportPath}`}.`,
    );
  }
  const { path, head } = report;
  const wrong = findWrongField(facts, head);
  return wrong === undefined ? holds(code, path) : breach(code, `${path} ${wrong}.`);
}

function findWrongField(
  { recorded, commit }: SessionFacts,
  head: FoundReport["head"],
): string | undefined {
  if (recorded !== undefined && head.session !== recorded.session.id)
    return "does not name the session";
  if (head.change !== commit?.changeId) return "does not name the session's change";
  if (!REPORT_KINDS.some((kind) => kind === head.kind)) return "is of no known kind";
  return CHANGE_SCOPES.some((scope) => scope === head.scope) ? undefined : "has no change scope";
}

function judgeScope(facts: SessionFacts): Judgement {
  const code = "scope_true";
  const { commit, report, scope } = facts;
  if (commit === undefined) return withoutCommit(code, facts);
  if (report === undefined) return breach(code, "There is no report to say it.");
  return report.head.scope === scope
    ? holds(code, scope ?? "")
    : breach(
        code,
        `The report says "${report.head.scope ?? "nothing"}", the commits say "${scope ?? "nothing"}".`,
      );
}

function judgeCounterpart(facts: SessionFacts): Judgement {
  const code = "counterpart_present";
  const { commit, lone } = facts;
  if (commit === undefined) return withoutCommit(code, facts);
  return lone.length === 0
    ? holds(code, "Every subject has reports and a strategy.")
    : breach(code, `These subjects stand on one side only: ${listed(lone)}. See: subject align`);
}

function judgeTree({ recorded }: SessionFacts): Judgement {
  const code = "tree_clean";
  if (recorded === undefined) return notApplicable(code, ONLY_HISTORY);
  const { unrecorded, hasOthers } = recorded.working;
  if (unrecorded.length === 0) return holds(code, "Nothing is left unrecorded.");
  if (hasOthers) return notApplicable(code, "Another session is at work here.");
  return breach(code, `Not recorded: ${listed(unrecorded)}.`);
}

function judgeChild(facts: SessionFacts): Judgement {
  const code = "fresh_child";
  const { recorded, commit } = facts;
  if (recorded === undefined) return notApplicable(code, ONLY_HISTORY);
  if (commit === undefined) return withoutCommit(code, facts);
  return recorded.working.isOnTop
    ? holds(code, "The working copy stands on it.")
    : breach(code, "The working copy does not stand on the finished commit (jj new, git switch).");
}

function judgeParent({ recorded }: SessionFacts): Judgement {
  const code = "parent_fresh";
  if (recorded === undefined) return notApplicable(code, ONLY_HISTORY);
  const { freshness, session } = recorded;
  if (freshness === undefined) return notApplicable(code, "It relies on no earlier change.");
  const { changeId = "" } = session.reliesOn ?? {};
  return freshness === "fresh"
    ? holds(code, `${changeId} is as it was.`)
    : breach(code, `The change ${changeId} that it relies on ${FRESHNESS_WORDS[freshness]}.`);
}

function judgeSecrets(facts: SessionFacts): Judgement {
  const code = "secrets_absent";
  const { recorded } = facts;
  if (recorded === undefined) return notApplicable(code, ONLY_HISTORY);
  const { secrets } = recorded;
  return secrets.length === 0
    ? holds(code, "Nothing in it looks like a key or a password.")
    : breach(code, listed(secrets.map(({ place, label }) => `${place} (${label})`)));
}

const MOST_LISTED = 5;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED).join(", ");
  return names.length > MOST_LISTED ? `${shown} and ${names.length - MOST_LISTED} more` : shown;
}
