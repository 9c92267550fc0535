/** People and agents as operations give them. Who they are is for everybody; addresses are for admins and oneself. */

import { z } from "zod";
import { isAllowed } from "../../kernel/operation/authorise.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { pageOf } from "../../kernel/operation/operation-fields.ts";
import { USER_ROLES } from "../../kernel/store/noun-tables.ts";
import type { User } from "../../kernel/store/users.ts";

export const userShape = z.object({
  id: z.string(),
  displayName: z.string(),
  email: z.string().optional(),
  role: z.enum(USER_ROLES),
  isActive: z.boolean(),
  isAgent: z.boolean(),
  model: z.string().optional(),
  groups: z.array(z.string()).readonly(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const userList = pageOf(userShape);

export const agentShape = userShape.omit({ email: true, isAgent: true }).extend({
  agentPrompt: z.string().optional().describe("What the agent is told about itself."),
});

export const agentList = pageOf(agentShape);

export const groupsField = z
  .array(z.string().trim().min(1).max(100))
  .max(100)
  .describe("Groups they belong to.");

export function shownTo(caller: Caller, user: User): User {
  const isOwnBusiness = user.id === caller.userId || isAllowed(caller, "administer");
  return isOwnBusiness ? user : { ...user, email: undefined };
}
