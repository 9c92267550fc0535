/** `check`: looks, judges, and says so. Whatever keeps it from looking is a failure, never a pass. */

import { describeError, ProductError } from "../../../kernel/base/errors.ts";
import { SESSION_TITLE } from "../../../kernel/vcs/session-message.ts";
import type { Desk } from "../session-desk.ts";
import { titleOf } from "../session-output.ts";
import type { Session } from "../sessions.ts";
import { gatherFromHistory, gatherRecorded, lookAround } from "./gather-facts.ts";
import type { Judgement } from "./invariant.ts";
import { judgeSession } from "./judge-session.ts";

export interface CheckedSession {
  readonly sessionId?: string;
  readonly changeId?: string | undefined;
  readonly state?: Session["state"];
  readonly title: string;
  readonly invariants: readonly Judgement[];
}

/** One session; without one the newest of the repository. */
export async function checkSession(
  desk: Desk,
  given: Session | undefined,
  projectId: string | undefined,
): Promise<readonly CheckedSession[]> {
  const around = await lookAround(desk, given?.projectId ?? projectId);
  const session = given ?? around.visible.at(-1);
  if (session === undefined) throw nothingToCheck(desk.vcs.root);
  return [await checkRecorded(around, session)];
}

/** All that are known, and every `session:` commit of the history beside them. */
export async function checkAll(
  desk: Desk,
  projectId: string | undefined,
): Promise<readonly CheckedSession[]> {
  const around = await lookAround(desk, projectId);
  const checked: CheckedSession[] = [];
  for (const session of around.visible) checked.push(await checkRecorded(around, session));
  const known = new Set(around.sessions.map(({ changeId }) => changeId));
  const { history } = desk.vcs;
  for (const commit of await history.list({ title: `${SESSION_TITLE} ` })) {
    if (known.has(commit.changeId)) continue;
    checked.push({
      changeId: commit.changeId,
      title: commit.message.split("\n")[0] ?? "",
      invariants: judgeSession(await gatherFromHistory(around, commit)),
    });
  }
  if (checked.length === 0) throw nothingToCheck(desk.vcs.root);
  return checked;
}

async function checkRecorded(
  around: Awaited<ReturnType<typeof lookAround>>,
  session: Session,
): Promise<CheckedSession> {
  return {
    sessionId: session.id,
    changeId: session.changeId,
    state: session.state,
    title: titleOf(session),
    invariants: judgeSession(await gatherRecorded(around, session)),
  };
}

function nothingToCheck(root: string): ProductError {
  return new ProductError("session_check_nothing", `There is no session in ${root} to check.`, {
    kind: "internal",
    hint: 'Begin one: session start - --interpretation "…" < prompt.md',
  });
}

/** Exit 1, whatever it was: a check that could not look has not passed, and is no breach either. */
export function cannotLook(error: unknown): ProductError {
  if (error instanceof ProductError && error.kind === "internal") return error;
  const { code, message, hint } = describeError(error);
  return new ProductError("session_check_impossible", `The check could not look: ${message}`, {
    kind: "internal",
    ...(hint === undefined ? {} : { hint }),
    details: { code },
    cause: error,
  });
}
