/** What a task waits for whose agent nobody sets to work. */

import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { findUser } from "../../kernel/store/users.ts";
import { taskShape } from "./task-shape.ts";

export function* waitsForAgent(output: unknown): DatabaseWork<string | undefined> {
  const { assigneeId, assigneeName = "The agent", status } = taskShape.parse(output);
  if (assigneeId === undefined || status !== "pending") return undefined;
  const assignee = yield* findUser(assigneeId);
  return assignee?.isAgent
    ? `${assigneeName} takes up its tasks while a server is there.`
    : undefined;
}
