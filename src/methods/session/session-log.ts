/** The trail as the history itself tells it, whoever made it. */

import type { z } from "zod";
import { INTENT_TITLE, parseIntent } from "../../kernel/vcs/intent-message.ts";
import { parseSessionMessage, SESSION_TITLE } from "../../kernel/vcs/session-message.ts";
import type { Commit } from "../../kernel/vcs/vcs.ts";
import type { Desk } from "./session-desk.ts";
import type { sessionLog } from "./session-shape.ts";
import { SESSION_STATES } from "./session-tables.ts";
import { listClaims } from "./session-trail.ts";
import { listSessionsOf } from "./sessions.ts";

type Log = z.input<typeof sessionLog>;

export async function readLog({ vcs, kernel, caller }: Desk, limit: number): Promise<Log> {
  const titled = [
    ...(await vcs.history.list({ title: `${SESSION_TITLE} ` })),
    ...(await vcs.history.list({ title: INTENT_TITLE })),
  ].toSorted((one, other) => other.at - one.at);
  const { owners, visible } = await kernel.store.read(function* () {
    const everybodys = yield* listSessionsOf(vcs.root, SESSION_STATES);
    const seen = yield* listSessionsOf(vcs.root, SESSION_STATES, caller);
    const own = everybodys.flatMap(({ id, changeId }): [string, string][] =>
      changeId === undefined ? [] : [[changeId, id]],
    );
    return {
      owners: new Map([...(yield* listClaims(vcs.root)), ...own]),
      visible: new Set(seen.map(({ id }) => id)),
    };
  });
  // What belongs to sessions that the caller does not see is left out; the rest is the repository's.
  const shown = titled.filter(({ changeId }) => {
    const owner = owners.get(changeId);
    return owner === undefined || visible.has(owner);
  });
  return {
    repository: vcs.root,
    vcs: vcs.kind,
    commits: shown.slice(0, limit).map((commit) => ({
      ...told(commit),
      changeId: commit.changeId,
      commitId: commit.commitId,
      author: commit.author.name,
      at: commit.at,
      sessionId: owners.get(commit.changeId),
    })),
    isMore: shown.length > limit,
    asOf: kernel.clock.now(),
  };
}

function told({
  message,
}: Commit): Pick<Log["commits"][number], "kind" | "title" | "chronos" | "changes" | "squashed"> {
  const [line = ""] = message.split("\n");
  if (line.startsWith(INTENT_TITLE)) return { kind: "intent", title: parseIntent(message) ?? line };
  const parsed = parseSessionMessage(message);
  return {
    kind: "session",
    title: line.slice(SESSION_TITLE.length).trim(),
    chronos: parsed?.chronos,
    changes: parsed && [...parsed.changes],
    squashed: parsed?.squashed && [...parsed.squashed],
  };
}
