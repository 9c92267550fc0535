/** People and agents on a terminal. */

import type { z } from "zod";
import { moreLine } from "../../kernel/operation/rendering.ts";
import { shortIds } from "../../kernel/operation/short-ids.ts";
import {
  blocks,
  clip,
  fieldLines,
  manyLines,
  section,
  table,
} from "../../kernel/operation/terminal-text.ts";
import { momentText, timeAgo } from "../../kernel/operation/terminal-time.ts";
import type { agentList, agentShape, userList, userShape } from "./user-shape.ts";

export function renderUserList({ items, nextCursor, asOf }: z.output<typeof userList>): string {
  if (items.length === 0) return "Nobody to show. Invite somebody with `user invite EMAIL NAME`.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "NAME", width: 30 },
    { title: "ROLE" },
    { title: "" },
    { title: "ADDRESS", width: 40, isSpare: true },
    { title: "SINCE", isSpare: true },
  ];
  const rows = items.map((user) => [
    short(user.id),
    user.displayName,
    user.role,
    [user.isAgent ? "agent" : "", user.isActive ? "" : "not active"].filter(Boolean).join(", "),
    user.email,
    timeAgo(user.createdAt, asOf),
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderUser(user: z.output<typeof userShape>): string {
  return blocks(
    user.displayName,
    fieldLines([
      ["id", user.id],
      ["kind", user.isAgent ? "agent" : "person"],
      ["role", user.role],
      ["active", user.isActive ? "yes" : "no"],
      ["address", user.email],
      ["model", user.model],
      ["groups", user.groups.join(", ")],
      ["since", momentText(user.createdAt)],
    ]),
  );
}

export function renderAgentList({ items, nextCursor }: z.output<typeof agentList>): string {
  if (items.length === 0)
    return "No agents yet. Make one with `agent add NAME --agent-prompt TEXT`; tasks are assigned to it like to a person.";
  const short = shortIds(items.map(({ id }) => id));
  const columns = [
    { title: "ID", width: 36 },
    { title: "NAME", width: 30 },
    { title: "ROLE" },
    { title: "MODEL", width: 30, isSpare: true },
    { title: "TOLD", width: 50, isSpare: true },
    { title: "" },
  ];
  const rows = items.map((agent) => [
    short(agent.id),
    agent.displayName,
    agent.role,
    agent.model ?? "default",
    clip(agent.agentPrompt ?? "", 50),
    agent.isActive ? "" : "not active",
  ]);
  return blocks(table(columns, rows), moreLine(nextCursor));
}

export function renderAgent(agent: z.output<typeof agentShape>): string {
  return blocks(
    agent.displayName,
    fieldLines([
      ["id", agent.id],
      ["role", agent.role],
      ["active", agent.isActive ? "yes" : "no"],
      ["model", agent.model ?? "the workspace's default"],
      ["groups", agent.groups.join(", ")],
    ]),
    section("Told about itself", manyLines(agent.agentPrompt ?? "nothing yet")),
  );
}
