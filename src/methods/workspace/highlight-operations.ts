/** Highlights: passages worth keeping. */

import { z } from "zod";
import { change } from "../../kernel/operation/change-work.ts";
import { lifecycleOperations } from "../../kernel/operation/lifecycle-operations.ts";
import { nameOf, projectNames, userNames } from "../../kernel/operation/names.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import {
  archivedField,
  becauseField,
  expectedVersionField,
  idField,
  isArchivedFilter,
  orderField,
  pageFields,
  projectField,
  textField,
} from "../../kernel/operation/operation-fields.ts";
import { withoutRedacted } from "../../kernel/operation/redacted-view.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../kernel/operation/resolve-names.ts";
import { shortId } from "../../kernel/operation/short-ids.ts";
import { doneLine } from "../../kernel/operation/state-marks.ts";
import {
  resolvePlace,
  resolveSource,
  sourceInput,
  whereFields,
} from "../../kernel/operation/thought-origin.ts";
import {
  archiveHighlight,
  deleteHighlight,
  getHighlight,
  type Highlight,
  insertHighlight,
  listHighlights,
  restoreHighlight,
  updateHighlight,
} from "../../kernel/store/highlights.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { highlightDetail, highlightList, highlightShape } from "./highlight-shape.ts";
import { renderHighlight, renderHighlightList } from "./highlight-view.ts";

const list = defineOperation({
  name: "highlight.list",
  summary: "Lists highlights.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField
      .optional()
      .describe("Only of this project, also through its conversations."),
    conversation: whereFields.conversation.describe("Only from this conversation."),
    message: whereFields.message.describe("Only from this message."),
    labelled: z.boolean().optional().describe("Only with a label, or only without."),
    archived: archivedField,
    order: orderField,
    ...pageFields,
  }),
  output: highlightList,
  surfaces: {
    cli: {
      examples: ["highlight list --project Tidepool --labelled"],
      render: rendering(highlightList, renderHighlightList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, conversation, message, labelled, archived, ...page }) =>
    kernel.store.read(function* () {
      const { items, nextCursor } = yield* listHighlights({
        ...page,
        viewer: caller,
        projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
        conversationId: yield* resolveOptional(conversation, (text) =>
          resolveId("conversation", text, caller),
        ),
        messageId: yield* resolveOptional(message, (text) => resolveId("message", text, caller)),
        isLabelled: labelled,
        isInactive: isArchivedFilter(archived),
      });
      return { items: yield* shown(items), nextCursor, asOf: kernel.clock.now() };
    }),
});

const show = defineOperation({
  name: "highlight.show",
  summary: "Shows a highlight and where it comes from.",
  effect: "reads",
  permission: "read",
  input: z.object({ highlightId: idField("highlight") }),
  output: highlightDetail,
  surfaces: {
    cli: { positionals: ["highlightId"], render: rendering(highlightDetail, renderHighlight) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { highlightId }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("highlight", highlightId, caller);
      const highlight = yield* getHighlight(id, caller);
      const names = yield* userNames([highlight.createdBy]);
      return {
        highlight: yield* shownOne(highlight),
        createdByName: nameOf(names, highlight.createdBy),
        asOf: kernel.clock.now(),
      };
    }),
});

const contentField = textField(100_000).min(1).describe("The passage itself.");
const labelField = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe("What it is about, in a word or two.");

const add = defineOperation({
  name: "highlight.add",
  summary: "Keeps a passage, of a message or of anything else.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project" },
  input: z.object({
    content: contentField,
    label: labelField.optional(),
    project: projectField.optional(),
    ...whereFields,
    span: z
      .strictObject({ start: z.int().min(0), end: z.int().min(1) })
      .optional()
      .describe("Where in the message it stands, in UTF-16 units: {start, end}."),
    source: sourceInput.optional(),
  }),
  output: highlightShape,
  surfaces: {
    cli: {
      positionals: ["content"],
      stdin: "content",
      examples: ['highlight add "A lease that nobody renews is nobody\'s." --label leases'],
      render: rendering(highlightShape, ({ id }) => doneLine(`Kept highlight ${shortId(id)}.`)),
    },
    mcp: "full",
  },
  run: (context, { project, source, conversation, message, ...fields }) => {
    const id = context.kernel.ids.next();
    return change(context, function* (act) {
      const { caller } = context;
      const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
      const place = yield* resolvePlace({ conversation, message, projectId }, caller);
      const drawnFrom = yield* resolveSource(source, caller);
      return yield* shownOne(
        yield* insertHighlight({ ...fields, ...place, id, projectId, source: drawnFrom }, act),
      );
    });
  },
});

const update = defineOperation({
  name: "highlight.update",
  summary: "Changes a highlight's words, label or project.",
  effect: "writes",
  permission: "edit",
  projectScope: { highlightId: "highlight", project: "project" },
  input: z.object({
    highlightId: idField("highlight"),
    content: contentField.optional(),
    label: labelField.nullable().optional(),
    project: projectField.nullable().optional(),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: highlightShape,
  surfaces: {
    cli: {
      positionals: ["highlightId"],
      examples: ["highlight update 0199a1b2-c3d4 --label leases"],
      render: rendering(highlightShape, ({ id, version }) =>
        doneLine(`Changed highlight ${shortId(id)}, now version ${version}.`),
      ),
    },
    mcp: "full",
  },
  run: (context, { highlightId, project, because, expectedVersion, ...words }) =>
    change(
      context,
      function* (act) {
        const { caller } = context;
        const id = yield* resolveId("highlight", highlightId, caller);
        const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
        const changed = yield* updateHighlight(id, { ...words, projectId }, act, expectedVersion);
        return yield* shownOne(changed);
      },
      because,
    ),
});

const lifecycle = lifecycleOperations({
  noun: "highlight",
  permission: "edit",
  output: highlightShape,
  find: (given, caller) => resolveId("highlight", given, caller),
  *archive(id, act, expectedVersion) {
    return yield* shownOne(yield* archiveHighlight(id, act, expectedVersion));
  },
  *restore(id, act, expectedVersion) {
    return yield* shownOne(yield* restoreHighlight(id, act, expectedVersion));
  },
  remove: deleteHighlight,
});

export const highlightOperations: readonly Operation[] = [list, show, add, update, ...lifecycle];

function* shown(highlights: readonly Highlight[]) {
  const readable = yield* withoutRedacted(highlights, ["content", "label"]);
  const projects = yield* projectNames(highlights.map(({ projectId }) => projectId));
  return readable.map((highlight) => ({
    ...highlight,
    projectName: nameOf(projects, highlight.projectId),
  }));
}

function* shownOne(highlight: Highlight) {
  const [one] = yield* shown([highlight]);
  return { ...highlight, ...one };
}
