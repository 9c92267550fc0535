/** Who works on a project. Its owner decides; everybody may leave. */

import { z } from "zod";
import { change } from "../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { projectField, userField } from "../../kernel/operation/operation-fields.ts";
import { requireOwner } from "../../kernel/operation/project-rights.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveProject, resolveUser } from "../../kernel/operation/resolve-names.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { USER_ROLES } from "../../kernel/store/noun-tables.ts";
import { deleteProjectMember, putProjectMember } from "../../kernel/store/project-members.ts";
import { getProject } from "../../kernel/store/projects.ts";
import { getUser } from "../../kernel/store/users.ts";
import { memberShape } from "./project-shape.ts";

const memberOf = memberShape.extend({ projectId: z.string() });

const addMember = defineOperation({
  name: "project.add-member",
  summary:
    "Lets somebody work on a project, or changes their role in it. The role can only narrow their own.",
  effect: "writes",
  permission: "edit",
  projectScope: { projectId: "project" },
  input: z.object({
    projectId: projectField,
    user: userField,
    role: z.enum(USER_ROLES).default("operator").describe("What they may do in this project."),
  }),
  output: memberOf,
  surfaces: {
    cli: {
      positionals: ["projectId", "user"],
      examples: ["project add-member Tidepool mara@example.org --role reviewer"],
      render: rendering(memberOf, ({ name, userId, role }) =>
        doneLine(`${name ?? userId} works on it as ${role}.`),
      ),
    },
    mcp: "none",
  },
  run: (context, input) =>
    change(context, function* (act) {
      const { caller } = context;
      const projectId = yield* resolveProject(input.projectId, caller);
      yield* requireOwner(caller, yield* getProject(projectId, caller));
      const userId = yield* resolveUser(input.user, caller);
      const { displayName: name } = yield* getUser(userId);
      const { role } = yield* putProjectMember({ projectId, userId, role: input.role }, act);
      return { projectId, userId, name, role };
    }),
});

const removed = z.object({
  projectId: z.string(),
  userId: z.string(),
  wasMember: z.boolean(),
});

const removeMember = defineOperation({
  name: "project.remove-member",
  summary: "Takes somebody off a project. You may always take yourself off.",
  effect: "writes",
  permission: "read",
  input: z.object({ projectId: projectField, user: userField }),
  output: removed,
  surfaces: {
    cli: {
      positionals: ["projectId", "user"],
      examples: ["project remove-member Tidepool me"],
      render: rendering(removed, ({ wasMember }) =>
        wasMember ? doneLine("Taken off the project.") : "They were no member.",
      ),
    },
    mcp: "none",
  },
  run: (context, input) =>
    change(context, function* (act) {
      const { caller } = context;
      const projectId = yield* resolveProject(input.projectId, caller);
      const userId = yield* resolveUser(input.user, caller);
      if (userId !== caller.userId) {
        yield* requireOwner(caller, yield* getProject(projectId, caller));
      }
      return { projectId, userId, wasMember: yield* deleteProjectMember(projectId, userId, act) };
    }),
});

export const projectMemberOperations: readonly Operation[] = [addMember, removeMember];
