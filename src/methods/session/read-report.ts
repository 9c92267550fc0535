/** The text of a session's report, as its commit holds it; undefined where there is none. */

import { decode } from "../../kernel/vcs/git-program.ts";
import type { SessionPorts } from "./session-desk.ts";
import type { Session } from "./sessions.ts";

export async function readReportText(
  ports: SessionPorts,
  { repository, changeId, reportPath }: Session,
): Promise<string | undefined> {
  if (changeId === undefined || reportPath === undefined) return undefined;
  const { history } = await ports.openVcs(repository);
  const commit = (await history.findAll([changeId])).get(changeId);
  if (commit === undefined) return undefined;
  const bytes = (await history.read(commit.commitId, [reportPath])).get(reportPath);
  return bytes === undefined ? undefined : decode(bytes);
}
