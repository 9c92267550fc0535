/** Who may answer, hand on and put to sleep what a run waits for. */

import { ProductError } from "../../kernel/base/errors.ts";
import { isAllowed, ROLE_PERMISSIONS } from "../../kernel/operation/authorise.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { nameOf, userNames } from "../../kernel/operation/names.ts";
import { requireRight, seesRunOf } from "../../kernel/operation/project-rights.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { getUser } from "../../kernel/store/users.ts";
import { neededFor, type WaitRecord } from "./inbox-rows.ts";

export function* requireOpen({ state, answeredBy }: WaitRecord): DatabaseWork<void> {
  if (state === "open") return;
  if (state === "answered") {
    const names = yield* userNames([answeredBy]);
    throw alreadyAnswered(nameOf(names, answeredBy) ?? answeredBy ?? "somebody", answeredBy);
  }
  const why = state === "expired" ? "its time was up" : "its run has ended";
  throw new ProductError("wait_closed", `This entry is closed: ${why}.`, { kind: "conflict" });
}

/** Role and project allow it, whoever it is assigned to. */
export function* requireStanding(wait: WaitRecord, caller: Caller): DatabaseWork<void> {
  const needed = neededFor(wait.kind);
  if (!isAllowed(caller, needed)) {
    throw new ProductError(
      "answer_needs_more",
      `Answering this steers a run, which needs the right to ${needed}.`,
      {
        kind: "not_allowed",
        hint: "Hand it to somebody who runs things here: `inbox assign`.",
        details: { permission: needed },
      },
    );
  }
  yield* requireRight(caller, wait.projectId, needed);
}

export function* requireAnswerer(wait: WaitRecord, caller: Caller): DatabaseWork<void> {
  yield* requireStanding(wait, caller);
  if (wait.assigneeId === caller.userId) return;
  if (caller.isAgent) {
    throw new ProductError("answer_by_agent", "Agents answer only what is assigned to them.", {
      kind: "not_allowed",
      hint: "A person is to look at this one.",
    });
  }
  if (wait.assigneeId === undefined) return;
  throw new ProductError(
    "answer_is_others",
    `This is for ${wait.assigneeName ?? wait.assigneeId} to answer.`,
    {
      kind: "not_allowed",
      hint: `Take it over first: \`inbox assign ${shortId(wait.id)} me\`.`,
      details: { assigneeId: wait.assigneeId },
    },
  );
}

export function* mayAnswer(wait: WaitRecord, caller: Caller): DatabaseWork<boolean> {
  if (!isAllowed(caller, "answer")) return false;
  try {
    yield* requireAnswerer(wait, caller);
    return true;
  } catch (error) {
    if (error instanceof ProductError && error.kind === "not_allowed") return false;
    throw error;
  }
}

/** Whoever it is handed to must see the run and be allowed to answer. */
export function* requireAssignable(wait: WaitRecord, userId: string): DatabaseWork<void> {
  const user = yield* getUser(userId);
  const mayAct = ROLE_PERMISSIONS[user.role].includes(neededFor(wait.kind));
  const sees = user.isAgent || (yield* seesRunOf(user, wait.runId)) || wait.projectId === undefined;
  if (user.isActive && mayAct && sees) return;
  const why = !user.isActive
    ? "is not active any more"
    : mayAct
      ? "does not see this project"
      : `is a ${user.role} and may not answer this`;
  throw new ProductError("assignee_unfit", `${user.displayName} ${why}.`, {
    kind: "conflict",
    hint: "Choose somebody else, or change their role or the project's members first.",
    details: { userId },
  });
}

export function alreadyAnswered(name: string, by: string | undefined): ProductError {
  return new ProductError("wait_answered", `This was already answered by ${name}.`, {
    kind: "conflict",
    hint: "Nothing was changed. `inbox show` shows what was answered.",
    details: { by },
  });
}
