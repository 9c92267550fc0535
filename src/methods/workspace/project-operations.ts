/** Projects, who works on them and who sees them. */

import { sql } from "kysely";
import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { change } from "../../kernel/operation/change-work.ts";
import { type Along, lifecycleOperations } from "../../kernel/operation/lifecycle-operations.ts";
import { nameOf, userNames } from "../../kernel/operation/names.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  archivedField,
  becauseField,
  expectedVersionField,
  isArchivedFilter,
  orderField,
  pageFields,
  projectField,
  textField,
  titleField,
  userField,
} from "../../kernel/operation/operation-fields.ts";
import { requireOwner } from "../../kernel/operation/project-rights.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import {
  resolveOptional,
  resolveProject,
  resolveUser,
} from "../../kernel/operation/resolve-names.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { listProjectMembers } from "../../kernel/store/project-members.ts";
import {
  archiveProject,
  deleteProject,
  getProject,
  insertProject,
  listProjects,
  type ProjectPatch,
  restoreProject,
  updateProject,
} from "../../kernel/store/projects.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { countTasks } from "../../kernel/store/task-lists.ts";
import { getUser } from "../../kernel/store/users.ts";
import { projectMemberOperations } from "./project-member-operations.ts";
import {
  glossaryEntry,
  projectDetail,
  projectList,
  projectShape,
  repositoryField,
  visibilityField,
} from "./project-shape.ts";
import { renderProject, renderProjectList } from "./project-view.ts";

const list = defineOperation({
  name: "project.list",
  summary: "Lists the projects you see.",
  effect: "reads",
  permission: "read",
  input: z.object({
    owner: userField.optional().describe("Only those of this person; `me` for your own."),
    archived: archivedField,
    order: orderField,
    ...pageFields,
  }),
  output: projectList,
  surfaces: {
    cli: {
      examples: ["project list", "project list --owner me --archived both"],
      render: rendering(projectList, renderProjectList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { owner, archived, ...page }) =>
    kernel.store.read(function* () {
      const ownerId = yield* resolveOptional(owner, (text) => resolveUser(text, caller));
      const isArchived = isArchivedFilter(archived);
      const { items, nextCursor } = yield* listProjects({
        ...page,
        viewer: caller,
        ownerId,
        isArchived,
      });
      const names = yield* userNames(items.map((project) => project.ownerId));
      const open = yield* countOpenTasks(items.map(({ id }) => id));
      return {
        items: items.map((project) => ({
          ...project,
          ownerName: nameOf(names, project.ownerId),
          openTasks: open.get(project.id) ?? 0,
        })),
        nextCursor,
        asOf: kernel.clock.now(),
      };
    }),
});

const show = defineOperation({
  name: "project.show",
  summary: "Shows a project: what it is about, who works on it, how much is in it.",
  effect: "reads",
  permission: "read",
  input: z.object({ projectId: projectField }),
  output: projectDetail,
  surfaces: {
    cli: { positionals: ["projectId"], render: rendering(projectDetail, renderProject) },
    mcp: "full",
  },
  run: ({ kernel, caller }, input) =>
    kernel.store.read(function* () {
      const id = yield* resolveProject(input.projectId, caller);
      const project = yield* getProject(id, caller);
      const members = yield* listProjectMembers(id);
      const names = yield* userNames([project.ownerId, ...members.map(({ userId }) => userId)]);
      return {
        project,
        ownerName: nameOf(names, project.ownerId),
        members: members.map((member) => ({ ...member, name: nameOf(names, member.userId) })),
        counts: yield* countContents(id, caller),
        asOf: kernel.clock.now(),
      };
    }),
});

const projectFields = {
  name: titleField.max(200).describe("What it is called."),
  description: textField(20_000).describe("What it is about, in a few sentences."),
  glossary: z
    .array(glossaryEntry)
    .max(500)
    .describe("Named concepts that prompts explain: a list of {term, meaning}."),
};

const add = defineOperation({
  name: "project.add",
  summary: "Makes a project; you own it.",
  effect: "writes",
  permission: "edit",
  input: z.object({
    ...projectFields,
    description: projectFields.description.default(""),
    glossary: projectFields.glossary.default([]),
    visibility: visibilityField.default("private"),
    repository: repositoryField.optional(),
  }),
  output: projectShape,
  surfaces: {
    cli: {
      positionals: ["name"],
      examples: ['project add "Tidepool" --description "Notes that sync without a server"'],
      render: rendering(projectShape, ({ id, name }) =>
        doneLine(
          `Made project ${shortId(id)} "${name}". Add to it with \`task add TITLE --project ${shortId(id)}\`.`,
        ),
      ),
    },
    mcp: "full",
  },
  run: (context, input) => {
    const id = context.kernel.ids.next();
    const ownerId = context.caller.userId;
    return change(context, (act) => insertProject({ id, ownerId, ...input }, act));
  },
});

const update = defineOperation({
  name: "project.update",
  summary:
    "Changes a project. Owner, visibility and repository are changed by its owner or an admin only.",
  effect: "writes",
  permission: "edit",
  projectScope: { projectId: "project" },
  input: z.object({
    projectId: projectField,
    name: projectFields.name.optional(),
    description: projectFields.description.optional(),
    glossary: projectFields.glossary.optional(),
    owner: userField.optional().describe("Hands the project over to this person."),
    visibility: visibilityField.optional(),
    repository: repositoryField.nullable().optional(),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: projectShape,
  surfaces: {
    cli: {
      positionals: ["projectId"],
      examples: ["project update Tidepool --visibility workspace"],
      render: rendering(projectShape, ({ id, name, version }) =>
        doneLine(`Changed project ${shortId(id)} "${name}", now version ${version}.`),
      ),
    },
    mcp: "full",
  },
  run: (context, { projectId, owner, because, expectedVersion, ...fields }) =>
    change(
      context,
      function* (act) {
        const { caller } = context;
        const id = yield* resolveProject(projectId, caller);
        const ownerId = yield* resolveOptional(owner, (text) => resolveUser(text, caller));
        const patch: ProjectPatch = { ...fields, ownerId };
        const isOwners =
          ownerId !== undefined ||
          fields.visibility !== undefined ||
          fields.repository !== undefined;
        if (isOwners) yield* requireOwner(caller, yield* getProject(id, caller));
        if (ownerId !== undefined) yield* refuseAgentAsOwner(ownerId);
        return yield* updateProject(id, patch, act, expectedVersion);
      },
      because,
    ),
});

const lifecycle = lifecycleOperations({
  noun: "project",
  permission: "edit",
  output: projectShape,
  deleteSummary:
    "Deletes an empty project for good; refused, naming them, while anything belongs to it.",
  *find(given, caller) {
    const id = yield* resolveProject(given, caller);
    yield* requireOwner(caller, yield* getProject(id, caller));
    return id;
  },
  archive: archiveProject,
  restore: restoreProject,
  remove: deleteProject,
  goesAlong: listAlong,
});

export const projectOperations: readonly Operation[] = [
  list,
  show,
  add,
  update,
  ...projectMemberOperations,
  ...lifecycle,
];

function* countOpenTasks(projectIds: string[]): DatabaseWork<ReadonlyMap<string, number>> {
  if (projectIds.length === 0) return new Map();
  const rows = yield* query(
    db
      .selectFrom("task")
      .select(["project_id", sql<number>`count(*)`.as("n")])
      .where("project_id", "in", projectIds)
      .where("is_inactive", "=", 0)
      .where("status", "in", ["pending", "in_progress", "waiting", "on_hold"])
      .groupBy("project_id"),
  );
  return new Map(rows.map(({ project_id, n }) => [project_id ?? "", n]));
}

function* countContents(projectId: string, caller: Caller) {
  const thoughts = yield* query(
    db
      .selectFrom("project_thought")
      .select(["kind", sql<number>`count(*)`.as("n")])
      .where("project_id", "=", projectId)
      .groupBy("kind"),
  );
  const of = (kind: string) => thoughts.find((row) => row.kind === kind)?.n ?? 0;
  const tasks = yield* countTasks({ viewer: caller, projectId });
  return {
    tasks: tasks as Record<string, number>,
    decisions: of("decision"),
    highlights: of("highlight"),
    conversations: yield* countRows("conversation_project", projectId),
    runs: yield* countRows("run", projectId),
  };
}

function* listAlong(projectId: string): DatabaseWork<readonly Along[]> {
  const settings = yield* query(
    db
      .selectFrom("setting")
      .select(sql<number>`count(*)`.as("n"))
      .where("scope", "=", "project")
      .where("scope_id", "=", projectId),
  );
  return [
    { what: "members", count: yield* countRows("project_member", projectId) },
    { what: "settings", count: settings[0]?.n ?? 0 },
    { what: "links to conversations", count: yield* countRows("conversation_project", projectId) },
  ];
}

function* countRows(
  table: "conversation_project" | "run" | "project_member",
  projectId: string,
): DatabaseWork<number> {
  const [row] = yield* query(
    db
      .selectFrom(table as "run")
      .select(sql<number>`count(*)`.as("n"))
      .where("project_id", "=", projectId),
  );
  return row?.n ?? 0;
}

function* refuseAgentAsOwner(userId: string): DatabaseWork<void> {
  const { isAgent, isActive } = yield* getUser(userId);
  if (!isAgent && isActive) return;
  throw new ProductError("owner_unfit", "A project is owned by a person who is active here.", {
    kind: "conflict",
    hint: "Choose another person.",
  });
}
