/** Reading conversations. Redacted words stay hidden except to people who may lift the redaction. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  archivedField,
  idField,
  isArchivedFilter,
  orderField,
  pageFields,
  projectField,
} from "../../kernel/operation/operation-fields.ts";
import { withoutRedacted, withoutRedactedMessages } from "../../kernel/operation/redacted-view.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import { manyLines } from "../../kernel/operation/terminal-text.ts";
import { listProjectsOfConversation } from "../../kernel/store/conversation-links.ts";
import {
  type Conversation,
  getConversation,
  listConversations,
} from "../../kernel/store/conversations.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { getMessage, listMessages } from "../../kernel/store/messages.ts";
import { findProject } from "../../kernel/store/projects.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { conversationDetail, conversationList, messageShape } from "./conversation-shape.ts";
import { renderConversation, renderConversationList } from "./conversation-view.ts";

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
  projectScope: { messageId: "message" },
  input: z.object({ messageId: idField("message") }),
  output: messageShape,
  surfaces: {
    cli: {
      positionals: ["messageId"],
      render: rendering(messageShape, ({ role, content }) => `${role}\n${manyLines(content)}`),
    },
    mcp: "none",
  },
  run: ({ kernel, caller }, { messageId }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("message", messageId, caller);
      const message = yield* getMessage(id, caller);
      refuseAgent(caller);
      return { ...message, isRedacted: false };
    }),
});

export const conversationListOperations: readonly Operation[] = [list, show, reveal];

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
