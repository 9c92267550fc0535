/** Conversations: writing them down, joining them with projects, putting them away. */

import { sql } from "kysely";
import { z } from "zod";
import { change } from "../../kernel/operation/change-work.ts";
import { type Along, lifecycleOperations } from "../../kernel/operation/lifecycle-operations.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  becauseField,
  expectedVersionField,
  idField,
  projectField,
  titleField,
} from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import { count } from "../../kernel/operation/terminal-text.ts";
import { linkConversation, unlinkConversation } from "../../kernel/store/conversation-links.ts";
import {
  archiveConversation,
  deleteConversation,
  getConversation,
  insertConversation,
  restoreConversation,
  updateConversation,
} from "../../kernel/store/conversations.ts";
import { type DatabaseWork, query } from "../../kernel/store/database-work.ts";
import { appendMessages } from "../../kernel/store/messages.ts";
import { MESSAGE_ROLES } from "../../kernel/store/noun-tables.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { conversationListOperations } from "./conversation-list-operations.ts";
import { conversationShape } from "./conversation-shape.ts";

const add = defineOperation({
  name: "conversation.add",
  summary: "Writes down a conversation that no import brings.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
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
  projectScope: { conversationId: "conversation" },
  input: z.object({
    conversationId: idField("conversation"),
    title: titleField.describe("What it was about."),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: conversationShape,
  surfaces: {
    cli: {
      positionals: ["conversationId", "title"],
      render: rendering(conversationShape, ({ id, title }) =>
        doneLine(`Conversation ${shortId(id)} is called "${title}".`),
      ),
    },
    mcp: "full",
  },
  run: (context, { conversationId, title, because, expectedVersion }) =>
    change(
      context,
      function* (act) {
        const id = yield* resolveId("conversation", conversationId, context.caller);
        return yield* updateConversation(id, { title }, act, expectedVersion);
      },
      because,
    ),
});

const linked = z.object({
  conversationId: z.string(),
  projectId: z.string(),
  isChanged: z.boolean().describe("False when it was so already."),
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
    projectScope: { conversationId: "conversation", project: "project" },
    input: z.object({ conversationId: idField("conversation"), project: projectField }),
    output: linked,
    surfaces: {
      cli: {
        positionals: ["conversationId", "project"],
        examples: [`conversation ${verb} 0199a1b2-c3d4 Tidepool`],
        render: rendering(linked, ({ conversationId, isChanged }) =>
          isChanged
            ? doneLine(`Conversation ${shortId(conversationId)} ${verb}ed.`)
            : "It was so already.",
        ),
      },
      mcp: "full",
    },
    run: (context, input) =>
      change(context, function* (act) {
        const { caller } = context;
        const id = yield* resolveId("conversation", input.conversationId, caller);
        const projectId = yield* resolveProject(input.project, caller);
        return { conversationId: id, projectId, isChanged: yield* work(id, projectId, act) };
      }),
  });
}

const lifecycle = lifecycleOperations({
  noun: "conversation",
  permission: "edit",
  output: conversationShape,
  find: (given, caller) => resolveId("conversation", given, caller),
  archive: archiveConversation,
  restore: restoreConversation,
  remove: deleteConversation,
  goesAlong: listAlong,
});

export const conversationOperations: readonly Operation[] = [
  ...conversationListOperations,
  add,
  update,
  linkOperation("link", "Makes a conversation part of a project.", linkConversation),
  linkOperation("unlink", "Takes a conversation out of a project.", unlinkConversation),
  ...lifecycle,
];

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
