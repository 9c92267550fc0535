/** Whether what a session counts on is still as it was when it said so. */

import { ProductError } from "../../kernel/base/errors.ts";
import type { Vcs } from "../../kernel/vcs/vcs.ts";
import type { Session } from "./sessions.ts";

export type Freshness = "fresh" | "gone" | "rewritten" | "not_below";

export async function readFreshness(
  { history }: Vcs,
  { changeId, commitId }: NonNullable<Session["reliesOn"]>,
  head: string,
): Promise<Freshness> {
  const found = (await history.findAll([changeId])).get(changeId);
  if (found === undefined) return "gone";
  if (found.commitId !== commitId) return "rewritten";
  return (await history.isAncestor(commitId, head)) ? "fresh" : "not_below";
}

export const FRESHNESS_WORDS: Readonly<Record<Exclude<Freshness, "fresh">, string>> = {
  gone: "is not there any more",
  rewritten: "was rewritten since",
  not_below: "is no longer among what the work stands on",
};

export async function requireFresh(vcs: Vcs, session: Session, head: string): Promise<void> {
  const { reliesOn } = session;
  if (reliesOn === undefined) return;
  const freshness = await readFreshness(vcs, reliesOn, head);
  if (freshness === "fresh") return;
  throw new ProductError(
    "session_stale",
    `The change ${reliesOn.changeId} that the session relies on ${FRESHNESS_WORDS[freshness]}.`,
    {
      kind: "conflict",
      hint: "Look at it again, then say what you rely on now: session rely CHANGE",
      details: { freshness },
    },
  );
}
