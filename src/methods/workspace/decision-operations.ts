/** Decisions: what was settled. A later one may supersede an earlier one, which is then put to rest. */

import { z } from "zod";
import type { Caller } from "../../kernel/operation/caller.ts";
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
  titleField,
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
import { query } from "../../kernel/store/database-work.ts";
import {
  archiveDecision,
  type Decision,
  deleteDecision,
  getDecision,
  insertDecision,
  listDecisions,
  restoreDecision,
  toDecision,
  updateDecision,
} from "../../kernel/store/decisions.ts";
import { db } from "../../kernel/store/query-builder.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { seesDecision } from "../../kernel/store/visibility.ts";
import { decisionDetail, decisionList, decisionShape } from "./decision-shape.ts";
import { renderDecision, renderDecisionList } from "./decision-view.ts";

const list = defineOperation({
  name: "decision.list",
  summary: "Lists decisions that stand; archived and superseded ones on request.",
  effect: "reads",
  permission: "read",
  input: z.object({
    project: projectField
      .optional()
      .describe("Only of this project, also through its conversations."),
    conversation: whereFields.conversation.optional().describe("Only from this conversation."),
    archived: archivedField,
    order: orderField,
    ...pageFields,
  }),
  output: decisionList,
  surfaces: {
    cli: {
      examples: ["decision list --project Tidepool"],
      render: rendering(decisionList, renderDecisionList),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { project, conversation, archived, ...page }) =>
    kernel.store.read(function* () {
      const { items, nextCursor } = yield* listDecisions({
        ...page,
        viewer: caller,
        projectId: yield* resolveOptional(project, (text) => resolveProject(text, caller)),
        conversationId: yield* resolveOptional(conversation, (text) =>
          resolveId("conversation", text, caller),
        ),
        isInactive: isArchivedFilter(archived),
      });
      return { items: yield* shown(items), nextCursor, asOf: kernel.clock.now() };
    }),
});

const show = defineOperation({
  name: "decision.show",
  summary: "Shows a decision, what it replaced and what replaced it.",
  effect: "reads",
  permission: "read",
  input: z.object({ decisionId: idField("decision") }),
  output: decisionDetail,
  surfaces: {
    cli: { positionals: ["decisionId"], render: rendering(decisionDetail, renderDecision) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { decisionId }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("decision", decisionId, caller);
      const decision = yield* getDecision(id, caller);
      const names = yield* userNames([decision.createdBy]);
      return {
        decision: yield* shownOne(decision),
        createdByName: nameOf(names, decision.createdBy),
        supersededBy: yield* listSuccessors(id, caller),
        asOf: kernel.clock.now(),
      };
    }),
});

const contentField = textField(100_000).describe("What was decided and why.");

const add = defineOperation({
  name: "decision.add",
  summary: "Writes a decision down; it may put an earlier one to rest.",
  effect: "writes",
  permission: "edit",
  projectScope: { project: "project", supersedes: "decision" },
  input: z.object({
    title: titleField.describe("What was decided, in one line."),
    content: contentField.default(""),
    project: projectField.optional(),
    ...whereFields,
    supersedes: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe("The decision it replaces; that one is archived in the same step."),
    source: sourceInput.optional(),
  }),
  output: decisionShape,
  surfaces: {
    cli: {
      positionals: ["title"],
      examples: [
        'decision add "Leases, not locks" --project Tidepool --content "A lock outlives its owner."',
      ],
      render: rendering(decisionShape, ({ id, title }) =>
        doneLine(`Wrote down decision ${shortId(id)} "${title}".`),
      ),
    },
    mcp: "core",
  },
  run: (context, { project, supersedes, source, conversation, message, ...fields }) => {
    const id = context.kernel.ids.next();
    return change(context, function* (act) {
      const { caller } = context;
      const supersedesId = yield* resolveOptional(supersedes, (text) =>
        resolveId("decision", text, caller),
      );
      const projectId =
        (yield* resolveOptional(project, (text) => resolveProject(text, caller))) ??
        (supersedesId && (yield* getDecision(supersedesId, caller)).projectId);
      const place = yield* resolvePlace({ conversation, message, projectId }, caller);
      const drawnFrom = yield* resolveSource(source, caller);
      const ids = { id, projectId, supersedesId };
      return yield* shownOne(
        yield* insertDecision({ ...fields, ...place, ...ids, source: drawnFrom }, act),
      );
    });
  },
});

const update = defineOperation({
  name: "decision.update",
  summary:
    "Corrects a decision's words or place. To change what was decided, add one that supersedes it.",
  effect: "writes",
  permission: "edit",
  projectScope: { decisionId: "decision", project: "project" },
  input: z.object({
    decisionId: idField("decision"),
    title: titleField.optional().describe("What was decided, in one line."),
    content: contentField.optional(),
    project: projectField.nullable().optional(),
    because: becauseField,
    expectedVersion: expectedVersionField,
  }),
  output: decisionShape,
  surfaces: {
    cli: {
      positionals: ["decisionId"],
      render: rendering(decisionShape, ({ id, title, version }) =>
        doneLine(`Changed decision ${shortId(id)} "${title}", now version ${version}.`),
      ),
    },
    mcp: "full",
  },
  run: (context, { decisionId, project, because, expectedVersion, ...words }) =>
    change(
      context,
      function* (act) {
        const { caller } = context;
        const id = yield* resolveId("decision", decisionId, caller);
        const projectId = yield* resolveOptional(project, (text) => resolveProject(text, caller));
        const changed = yield* updateDecision(id, { ...words, projectId }, act, expectedVersion);
        return yield* shownOne(changed);
      },
      because,
    ),
});

const lifecycle = lifecycleOperations({
  noun: "decision",
  permission: "edit",
  output: decisionShape,
  find: (given, caller) => resolveId("decision", given, caller),
  *archive(id, act, expectedVersion) {
    return yield* shownOne(yield* archiveDecision(id, act, expectedVersion));
  },
  *restore(id, act, expectedVersion) {
    return yield* shownOne(yield* restoreDecision(id, act, expectedVersion));
  },
  remove: deleteDecision,
});

export const decisionOperations: readonly Operation[] = [list, show, add, update, ...lifecycle];

function* listSuccessors(id: string, caller: Caller) {
  const rows = yield* query(
    db
      .selectFrom("decision")
      .selectAll("decision")
      .where("decision.supersedes_id", "=", id)
      .where(seesDecision(caller))
      .orderBy("decision.created_at"),
  );
  return yield* withoutRedacted(rows.map(toDecision), ["title"]);
}

function* shown(decisions: readonly Decision[]) {
  const readable = yield* withoutRedacted(decisions, ["title", "content"]);
  const projects = yield* projectNames(decisions.map(({ projectId }) => projectId));
  return readable.map((decision) => ({
    ...decision,
    projectName: nameOf(projects, decision.projectId),
  }));
}

function* shownOne(decision: Decision) {
  const [one] = yield* shown([decision]);
  return { ...decision, ...one };
}
