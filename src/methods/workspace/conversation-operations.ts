/** Conversations: where thinking comes from. Redacted words stay hidden except to people who may lift the redaction. */

import { sql } from "kysely";
import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  linkConversation,
  listProjectsOfConversation,
  unlinkConversation,
} from "../../kernel/store/conversation-links.ts";
import {
  archiveConversation,
  type Conversation,
  deleteConversation,
  getConversation,
  insertConversation,
  listConversations,
  restoreConversation,
  updateConversation,
} from "../../kernel/store/conversations.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { appendMessages, getMessage, listMessages } from "../../kernel/store/messages.ts";
import { MESSAGE_ROLES } from "../../kernel/store/noun-tables.ts";
import { findProject } from "../../kernel/store/projects.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { change } from "./change-work.ts";
import {
  conversationDetail,
  conversationList,
  conversationShape,
  messageShape,
} from "./conversation-shape.ts";
import { renderConversation, renderConversationList } from "./conversation-view.ts";
import { type Along, lifecycleOperations } from "./lifecycle-operations.ts";
import {
  archivedField,
  becauseField,
  expectedVersionField,
  idField,
  isArchivedFilter,
  orderField,
  pageFields,
  projectField,
  titleField,
} from "./operation-fields.ts";
import { requireConversationRight, requireRight } from "./project-rights.ts";
import { withoutRedacted, withoutRedactedMessages } from "./redacted-view.ts";
import { rendering } from "./rendering.ts";
import { resolveOptional, resolveProject } from "./resolve-names.ts";
import { shortId } from "./short-ids.ts";
import { doneLine } from "./state-marks.ts";
import { count } from "./terminal-text.ts";

const list = defineOperation({
  name: "conversation.list",
  summary: "Lists conversations; within a project by when they were held.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField.optional().describe("Only of this project."),
    source: z.string().max(100).optional().describe("Only from here, such as `chatgpt`."),
    archived: archivedField,
    order: orderField,
    ...pageFields,
  }),
  output: conversationList,
  surfaces: {
    cli: {
      examples: ["conversation list --project Tidepool --source claude"],
      render: rendering(conversationList, renderConversationList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, source, archived, ...page }) =>
    kernel.store.read(function* () {
      const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      const { items, nextCursor } = yield* listConversations({
        ...page,
        viewer: caller,
        projectId,
        source,
        isInactive: isArchivedFilter(archived),
      });
      const shown = yield* withoutRedactedTitles(items, projectId);
      return { items: shown, nextCursor, asOf: kernel.clock.now() };
    }),
});

const show = defineOperation({
  name: "conversation.show",
  summary: "Shows a conversation and what was said in it, page by page.",
  effect: "reads",
  permission: "read",
  input: z.object({
    conversationId: idField("conversation"),
    project: projectField
      .optional()
      .describe("Read it as this project may: its redactions hold instead of all there are."),
    limit: pageFields.limit,
    cursor: pageFields.cursor,
  }),
  output: conversationDetail,
  surfaces: {
    cli: {
      positionals: ["conversationId"],
      render: rendering(conversationDetail, renderConversation),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { conversationId, project, limit, cursor }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("conversation", conversationId, caller);
      const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      const projects = yield* listVisibleProjects(id, caller);
      if (projectId !== undefined && !projects.some((each) => each.id === projectId))
        throw notInProject(id, projectId);
      const said = yield* listMessages({
        viewer: caller,
        conversationId: id,
        limit,
        after: parsePlace(cursor),
      });
      const last = said.length === limit ? said.at(-1) : undefined;
      const found = yield* getConversation(id, caller);
      const [conversation = found] = yield* withoutRedactedTitles([found], projectId);
      return {
        conversation,
        projects,
        messages: yield* withoutRedactedMessages(said, projectId),
        nextCursor: last && `${last.position}.${last.id}`,
        asOf: kernel.clock.now(),
      };
    }),
});

const reveal = defineOperation({
  name: "message.reveal",
  summary:
    "Shows a message as it was said, redacted passages included, to somebody who may lift them.",
  effect: "reads",
  permission: "edit",
  input: z.object({ messageId: idField("message") }),
  output: messageShape,
  surfaces: { cli: { positionals: ["messageId"] }, mcp: "none" },
  run: ({ kernel, caller }, { messageId }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("message", messageId, caller);
      const message = yield* getMessage(id, caller);
      refuseAgent(caller);
      yield* requireEdit(yield* getConversation(message.conversationId, caller), caller);
      return { ...message, isRedacted: false };
    }),
});

const add = defineOperation({
  name: "conversation.add",
  summary: "Writes down a conversation that no import brings.",
  effect: "writes",
  permission: "edit",
  input: z.object({
    title: titleField.describe("What it was about."),
    project: projectField.optional(),
    source: z.string().min(1).max(100).default("notes").describe("Where it was held."),
    messages: z
      .array(
        z.strictObject({
          role: z.enum(MESSAGE_ROLES),
          content: z.string().min(1).max(1_000_000),
        }),
      )
      .max(1000)
      .default([])
      .describe("What was said, in order: a list of {role, content}."),
  }),
  output: conversationShape,
  surfaces: {
    cli: {
      positionals: ["title"],
      examples: [
        `conversation add "Call with Ann" --messages '[{"role":"user","content":"Ship on Friday."}]'`,
      ],
      render: rendering(conversationShape, ({ id, title, messageCount }) =>
        doneLine(
          `Wrote down conversation ${shortId(id)} "${title}" with ${count(messageCount, "message")}.`,
        ),
      ),
    },
    mcp: "full",
  },
  run: (context, { title, project, source, messages }) => {
    const { kernel, caller } = context;
    const id = kernel.ids.next();
    const said = messages.map((message, position) => ({
      ...message,
      position,
      id: kernel.ids.next(),
    }));
    return change(context, function* (act) {
      const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      yield* requireRight(caller, projectId, "edit");
      const projectIds = projectId === undefined ? [] : [projectId];
      yield* insertConversation({ id, title, source, projectIds }, act);
      yield* appendMessages(id, said, act);
      return yield* getConversation(id, caller);
    });
  },
});

const update = defineOperation({
  name: "conversation.update",
  summary: "Renames a conversation.",
  effect: "writes",
  permission: "edit",
  input: z.object({
    conversationId: idField("conversation"),
    title: titleField.describe("What it was about."),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: conversationShape,
  surfaces: { cli: { positionals: ["conversationId", "title"] }, mcp: "full" },
  run: (context, { conversationId, title, because, expectedVersion }) =>
    change(
      context,
      function* (act) {
        const { id } = yield* getToEdit(conversationId, context.caller);
        return yield* updateConversation(id, { title }, act, expectedVersion);
      },
      because,
    ),
});

/** Both ends need the right: linking shows the conversation to all who see the project. */
function linkOperation(
  verb: "link" | "unlink",
  summary: string,
  work: typeof linkConversation,
): Operation {
  return defineOperation({
    name: `conversation.${verb}`,
    summary,
    effect: "writes",
    permission: "edit",
    input: z.object({ conversationId: idField("conversation"), project: projectField }),
    output: z.object({
      conversationId: z.string(),
      projectId: z.string(),
      isChanged: z.boolean().describe("False when it was so already."),
    }),
    surfaces: {
      cli: {
        positionals: ["conversationId", "project"],
        examples: [`conversation ${verb} 0199a1b2-c3d4 Tidepool`],
      },
      mcp: "full",
    },
    run: (context, input) =>
      change(context, function* (act) {
        const { caller } = context;
        const { id } = yield* getToEdit(input.conversationId, caller);
        const projectId = yield* resolveProject(input.project, caller);
        yield* requireRight(caller, projectId, "edit");
        return { conversationId: id, projectId, isChanged: yield* work(id, projectId, act) };
      }),
  });
}

const lifecycle = lifecycleOperations({
  noun: "conversation",
  permission: "edit",
  output: conversationShape,
  *find(given, caller) {
    return (yield* getToEdit(given, caller)).id;
  },
  archive: archiveConversation,
  restore: restoreConversation,
  remove: deleteConversation,
  goesAlong: listAlong,
});

export const conversationOperations: readonly Operation[] = [
  list,
  show,
  reveal,
  add,
  update,
  linkOperation("link", "Makes a conversation part of a project.", linkConversation),
  linkOperation("unlink", "Takes a conversation out of a project.", unlinkConversation),
  ...lifecycle,
];

function* getToEdit(given: string, caller: Caller): DatabaseWork<Conversation> {
  const id = yield* resolveId("conversation", given, caller);
  const conversation = yield* getConversation(id, caller);
  yield* requireEdit(conversation, caller);
  return conversation;
}

function* requireEdit({ id, createdBy }: Conversation, caller: Caller): DatabaseWork<void> {
  if (createdBy !== caller.userId) yield* requireConversationRight(caller, id, "edit");
}

function* listVisibleProjects(
  conversationId: string,
  caller: Caller,
): DatabaseWork<readonly { readonly id: string; readonly name: string }[]> {
  const visible: { id: string; name: string }[] = [];
  for (const projectId of yield* listProjectsOfConversation(conversationId)) {
    const project = yield* findProject(projectId, caller);
    if (project !== undefined) visible.push({ id: project.id, name: project.name });
  }
  return visible;
}

function* withoutRedactedTitles(
  conversations: readonly Conversation[],
  projectId: string | undefined,
): DatabaseWork<Conversation[]> {
  const words = conversations.map(({ id: conversationId, title, details }) => {
    return { conversationId, projectId, title, details };
  });
  const readable = yield* withoutRedacted(words, ["title", "details"]);
  return conversations.map((conversation, i) => ({
    ...conversation,
    title: readable[i]?.title ?? "",
    details: readable[i]?.details ?? {},
  }));
}

function* listAlong(conversationId: string): DatabaseWork<readonly Along[]> {
  const along: Along[] = [];
  const tables = [
    ["messages", "message"],
    ["links to projects", "conversation_project"],
    ["redactions", "redaction"],
  ] as const;
  for (const [what, table] of tables) {
    const [row] = yield* query(
      db
        .selectFrom(table as "message")
        .select(sql<number>`count(*)`.as("n"))
        .where("conversation_id", "=", conversationId),
    );
    along.push({ what, count: row?.n ?? 0 });
  }
  return along;
}

function parsePlace(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const match = /^(\d{1,15})\.([\w-]{1,100})$/.exec(cursor);
  if (match?.[2] !== undefined) return { position: Number(match[1]), id: match[2] };
  throw new ProductError("cursor_invalid", `"${cursor}" is not a place in this conversation.`, {
    hint: "Leave it out to read from the beginning, or use the cursor the last page came with.",
  });
}

function refuseAgent({ isAgent }: Caller): void {
  if (!isAgent) return;
  throw new ProductError("redacted_for_agents", "Agents do not see what is redacted.", {
    kind: "not_allowed",
    hint: "Ask a person to look.",
  });
}

function notInProject(conversationId: string, projectId: string): ProductError {
  return new ProductError(
    "conversation_elsewhere",
    `The conversation "${conversationId}" is not part of the project "${projectId}".`,
    { kind: "not_found", hint: "Leave the project out to read it on its own." },
  );
}
