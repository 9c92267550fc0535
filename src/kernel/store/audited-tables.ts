/** Every table whose rows are hashed and told in the log, in an order in which they can be filled. */

import type { AuditedTable } from "./audited-rows.ts";
import { CONVERSATION_LINKS } from "./conversation-links.ts";
import { CONVERSATIONS } from "./conversations.ts";
import { DECISIONS } from "./decisions.ts";
import { HIGHLIGHTS } from "./highlights.ts";
import { LOGINS } from "./logins.ts";
import { MESSAGES } from "./messages.ts";
import { PROJECT_MEMBERS } from "./project-members.ts";
import { PROJECTS } from "./projects.ts";
import { REDACTIONS } from "./redactions.ts";
import { SETTINGS } from "./settings.ts";
import { TASKS } from "./tasks.ts";
import { TEAMS } from "./teams.ts";
import { TOKENS } from "./tokens.ts";
import { USERS } from "./users.ts";

export const AUDITED_TABLES: readonly AuditedTable[] = [
  USERS,
  TOKENS,
  LOGINS,
  SETTINGS,
  PROJECTS,
  PROJECT_MEMBERS,
  CONVERSATIONS,
  MESSAGES,
  CONVERSATION_LINKS,
  HIGHLIGHTS,
  TASKS,
  DECISIONS,
  REDACTIONS,
  TEAMS,
];
