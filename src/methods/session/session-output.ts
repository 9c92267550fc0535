/** From sessions as they are kept to sessions as operations give them. */

import type { z } from "zod";
import { nameOf, projectNames, userNames } from "../../kernel/operation/names.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { keptBookmark } from "./session-plan.ts";
import { listBoundRuns } from "./session-runs.ts";
import type { sessionDetail, sessionHead } from "./session-shape.ts";
import { sessionDb } from "./session-tables.ts";
import { listEntries, listIntents } from "./session-trail.ts";
import type { Session } from "./sessions.ts";

type Head = z.input<typeof sessionHead>;
type Detail = z.input<typeof sessionDetail>;

export function* toHeads(sessions: readonly Session[]): DatabaseWork<readonly Head[]> {
  const projects = yield* projectNames(sessions.map(({ projectId }) => projectId));
  const users = yield* userNames(sessions.map(({ startedBy }) => startedBy));
  const counts = yield* countIntents(sessions.map(({ id }) => id));
  // What the shape does not name is dropped.
  return sessions.map((session) => ({
    ...session,
    title: titleOf(session),
    intents: counts.get(session.id) ?? 0,
    projectName: nameOf(projects, session.projectId),
    startedByName: nameOf(users, session.startedBy),
  }));
}

export function* toHead(session: Session): DatabaseWork<Head> {
  const [head] = yield* toHeads([session]);
  if (head === undefined) throw new TypeError("A session without a head.");
  return head;
}

export function* toDetail(session: Session): DatabaseWork<Omit<Detail, "asOf">> {
  const entries = yield* listEntries(session.id);
  const names = yield* userNames(entries.map(({ actor }) => actor));
  const isKept = session.mode === "multi" && session.changeId !== undefined;
  return {
    session: {
      ...session,
      ...(yield* toHead(session)),
      kept: isKept ? keptBookmark(session.id) : undefined,
    },
    intents: [...(yield* listIntents(session.id))],
    entries: entries.map((entry) => ({ ...entry, actorName: nameOf(names, entry.actor) })),
    runs: [...(yield* listBoundRuns(session.id))],
  };
}

const LONGEST_TITLE = 120;

export function titleOf({ summary, prompt }: Pick<Session, "summary" | "prompt">): string {
  const line = (summary ?? prompt.trim().split(/[\n\r]/)[0] ?? "").trim();
  const characters = Array.from(line);
  if (characters.length <= LONGEST_TITLE) return line;
  return `${characters
    .slice(0, LONGEST_TITLE - 1)
    .join("")
    .trimEnd()}…`;
}

function* countIntents(ids: readonly string[]): DatabaseWork<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = yield* query(
    sessionDb
      .selectFrom("session_intent")
      .select(["session_id", (where) => where.fn.countAll<number | string>().as("n")])
      .where("session_id", "in", [...ids])
      .groupBy("session_id"),
  );
  return new Map(rows.map(({ session_id, n }) => [session_id, Number(n)]));
}
