/** Agents: users that work on tasks with a prompt and a model. They never sign in and are never admins. */

import { z } from "zod";
import { notFound, ProductError } from "../../kernel/base/errors.ts";
import { ROLE_PERMISSIONS } from "../../kernel/operation/authorise.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { change } from "../../kernel/operation/change-work.ts";
import type { Kernel } from "../../kernel/operation/kernel.ts";
import { lifecycleOperations } from "../../kernel/operation/lifecycle-operations.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  becauseField,
  expectedVersionField,
  orderField,
  pageFields,
  textField,
  titleField,
  userField,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveUser } from "../../kernel/operation/resolve-names.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import {
  deleteUser,
  getUser,
  insertUser,
  listUsers,
  type User,
  updateUser,
} from "../../kernel/store/users.ts";
import { listCredentials } from "./user-operations.ts";
import { agentList, agentShape, groupsField } from "./user-shape.ts";
import { renderAgent, renderAgentList } from "./user-view.ts";

const list = defineOperation({
  name: "agent.list",
  summary: "Lists the agents tasks can be assigned to.",
  effect: "reads",
  permission: "read",
  input: z.object({
    inactive: z.boolean().default(false).describe("Those that were archived instead."),
    order: orderField.default("oldest"),
    ...pageFields,
  }),
  output: agentList,
  surfaces: { cli: { render: rendering(agentList, renderAgentList) }, mcp: "full" },
  run: ({ kernel }, { inactive, ...page }) =>
    kernel.store.read(function* () {
      const agents = yield* listUsers({ ...page, isAgent: true, isActive: !inactive });
      return { ...agents, items: [...agents.items], asOf: kernel.clock.now() };
    }),
});

const show = defineOperation({
  name: "agent.show",
  summary: "Shows an agent with its prompt.",
  effect: "reads",
  permission: "read",
  input: z.object({ agentId: userField }),
  output: agentShape,
  surfaces: {
    cli: { positionals: ["agentId"], render: rendering(agentShape, renderAgent) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { agentId }) => kernel.store.read(() => getAgent(agentId, caller)),
});

const agentFields = {
  displayName: titleField.max(200).describe("What it is called."),
  agentPrompt: textField(100_000).describe("What it is told about itself and its work."),
  model: z
    .string()
    .min(1)
    .max(200)
    .describe("`provider/model`; the workspace's default unless given."),
  role: z
    .enum(["viewer", "reviewer", "operator"])
    .describe("The most it may do, whoever starts the run."),
  groups: groupsField,
};

const add = defineOperation({
  name: "agent.add",
  summary: "Makes an agent.",
  effect: "writes",
  permission: "edit",
  input: z.object({
    ...agentFields,
    agentPrompt: agentFields.agentPrompt.optional(),
    model: agentFields.model.optional(),
    role: agentFields.role.default("operator"),
    groups: agentFields.groups.default([]),
  }),
  output: agentShape,
  surfaces: {
    cli: {
      positionals: ["displayName"],
      examples: ['agent add "Code reviewer" --agent-prompt "You review one file at a time."'],
      render: rendering(agentShape, ({ id, displayName }) =>
        doneLine(`Made agent ${shortId(id)} "${displayName}".`),
      ),
    },
    mcp: "none",
  },
  run: async (context, agent) => {
    await requireModel(context.kernel, agent.model);
    refuseMightier(context.caller, agent.role);
    const id = context.kernel.ids.next();
    return change(context, (act) => insertUser({ id, isAgent: true, ...agent }, act));
  },
});

const update = defineOperation({
  name: "agent.update",
  summary: "Changes an agent: its prompt, model, role, groups.",
  effect: "writes",
  permission: "edit",
  input: z.object({
    agentId: userField,
    displayName: agentFields.displayName.optional(),
    agentPrompt: agentFields.agentPrompt.nullable().optional(),
    model: agentFields.model.nullable().optional(),
    role: agentFields.role.optional(),
    groups: agentFields.groups.optional(),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: agentShape,
  surfaces: {
    cli: {
      positionals: ["agentId"],
      render: rendering(agentShape, ({ id, displayName, version }) =>
        doneLine(`Changed agent ${shortId(id)} "${displayName}", now version ${version}.`),
      ),
    },
    mcp: "none",
  },
  run: async (context, { agentId, because, expectedVersion, ...patch }) => {
    await requireModel(context.kernel, patch.model ?? undefined);
    refuseMightier(context.caller, patch.role);
    return change(
      context,
      function* (act) {
        const { id } = yield* getAgent(agentId, context.caller);
        return yield* updateUser(id, patch, act, expectedVersion);
      },
      because,
    );
  },
});

const lifecycle = lifecycleOperations({
  noun: "agent",
  permission: "edit",
  mcp: "none",
  output: agentShape,
  archiveSummary: "Takes an agent out of service and revokes its tokens; its work stays.",
  *find(given, caller) {
    return (yield* getAgent(given, caller)).id;
  },
  archive: (id, act, expectedVersion) => updateUser(id, { isActive: false }, act, expectedVersion),
  restore: (id, act, expectedVersion) => updateUser(id, { isActive: true }, act, expectedVersion),
  remove: deleteUser,
  goesAlong: listCredentials,
});

export const agentOperations: readonly Operation[] = [list, show, add, update, ...lifecycle];

/** People are no agents: asking for one by name must not lead to the other. */
function* getAgent(given: string, caller: Caller): DatabaseWork<User> {
  const user = yield* getUser(yield* resolveUser(given, caller));
  if (!user.isAgent) throw notFound("agent", given);
  return user;
}

async function requireModel({ models }: Kernel, model: string | undefined): Promise<void> {
  if (model !== undefined) await models.find(model);
}

function refuseMightier(caller: Caller, role: User["role"] | undefined): void {
  if (role === undefined) return;
  const own = ROLE_PERMISSIONS[caller.role];
  if (ROLE_PERMISSIONS[role].every((permission) => own.includes(permission))) return;
  throw new ProductError("agent_mightier_than_you", `You cannot make an agent that is ${role}.`, {
    kind: "not_allowed",
    hint: "Give it a role that is not above your own.",
  });
}
