/** Saying what should change, and what becomes of it. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import { hashText } from "../../../kernel/base/hash.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation } from "../../../kernel/operation/operation.ts";
import { asOfField } from "../../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { table } from "../../../kernel/operation/terminal-text.ts";
import { type DatabaseWork, execute, query } from "../../../kernel/store/database-work.ts";
import { storableText } from "../../../kernel/store/storable-text.ts";
import { stepOf } from "../recipe/compiled-domain.ts";
import type { FeedbackState } from "../running/dialectic-tables.ts";
import { type ArtifactTable, dialectic } from "../running/dialectic-tables.ts";
import { type Session } from "../running/load-session.ts";
import {
  FEEDBACK_STATES,
  feedbackOn,
  feedbackShape,
  requireSection,
  toFeedback,
} from "./feedback-rows.ts";
import {
  documentField,
  placeOfSession,
  resolveDocument,
  resolveSession,
  sessionField,
} from "./session-ref.ts";

const feedbackList = z.object({ items: z.array(feedbackShape), asOf: asOfField });

export const feedback = defineOperation({
  name: "dialectic.feedback",
  summary:
    "Says what should change in a document or one of its sections; without text, lists what was said.",
  effect: "writes",
  permission: "edit",
  projectScope: { session: placeOfSession },
  input: z.object({
    session: sessionField,
    document: documentField.optional(),
    section: z
      .string()
      .max(80)
      .default("")
      .describe("A section by its key; the whole document unless given."),
    text: z.string().trim().min(1).max(20_000).optional().describe("What should change, and why."),
    item: z.string().max(100).optional().describe("An earlier remark, to settle it."),
    state: z.enum(FEEDBACK_STATES).optional().describe("What becomes of it."),
    note: z.string().max(2_000).optional().describe("Why it is deferred or rejected."),
  }),
  output: feedbackList,
  surfaces: {
    cli: {
      positionals: ["session"],
      stdin: "text",
      render: rendering(feedbackList, renderFeedback),
      examples: [
        'dialectic feedback --document thesis/business_case/s1 --section risks --text "Name the payment risk."',
        'dialectic feedback --item 0199a1b2 --state rejected --note "Out of scope"',
      ],
    },
    mcp: "full",
  },
  run: async (context, input) => {
    const { kernel, caller } = context;
    return await change(context, function* ({ actor, now }) {
      const { document, text, item } = input;
      if (document !== undefined && text !== undefined) {
        const { session, row } = yield* resolveDocument(document, input.session, caller);
        yield* addFeedback(session, row, { ...input, text }, { id: kernel.ids.next(), actor, now });
        return { items: yield* feedbackOn(row), asOf: now };
      }
      const session = yield* resolveSession(input.session, caller);
      if (item !== undefined) yield* settleFeedback(session, item, input.state, input.note);
      else if (text !== undefined) throw missingDocument();
      return { items: yield* listFeedback(session), asOf: now };
    });
  },
});

/** The same list for those who only look: reading asks for no right to change anything. */
export const remarks = defineOperation({
  name: "dialectic.remarks",
  summary: "Lists what people said about the documents of a dialectic.",
  effect: "reads",
  permission: "read",
  input: z.object({
    session: sessionField,
    runId: z.string().max(100).optional().describe("The same, as followers name it."),
    state: z.enum(FEEDBACK_STATES).optional().describe("Only remarks in this state."),
  }),
  output: feedbackList,
  surfaces: {
    cli: {
      positionals: ["session"],
      render: rendering(feedbackList, renderFeedback),
      examples: ["dialectic remarks --state open"],
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { session: given, runId, state }) =>
    kernel.store.read(function* () {
      const session = yield* resolveSession(given ?? runId, caller);
      const items = yield* listFeedback(session);
      const wanted = items.filter((item) => state === undefined || item.state === state);
      const readable = yield* withoutRedactedPassages(
        { items: wanted },
        session.projectId ?? undefined,
      );
      return { ...readable, asOf: kernel.clock.now() };
    }),
});

function* listFeedback({ runId }: Session): DatabaseWork<z.output<typeof feedbackShape>[]> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_feedback")
      .selectAll()
      .where("run_id", "=", runId)
      .orderBy("id"),
  );
  return yield* toFeedback(rows);
}

function renderFeedback({ items }: z.output<typeof feedbackList>): string {
  if (items.length === 0) return "Nobody has said anything yet.";
  return table(
    [
      { title: "ID" },
      { title: "STATE" },
      { title: "DOCUMENT", width: 50 },
      { title: "SECTION", width: 24 },
      { title: "WHAT", width: 70 },
    ],
    items.map(({ id, state, document, section, text }) => [
      shortId(id),
      state,
      document,
      section,
      text,
    ]),
  );
}

function missingDocument(): ProductError {
  return new ProductError("feedback_without_document", "Say which document this is about.", {
    hint: "Add --document, such as thesis/business_case/s1.",
  });
}

function* addFeedback(
  session: Session,
  row: ArtifactTable,
  { section, text }: { readonly section: string; readonly text: string },
  { id, actor, now }: { readonly id: string; readonly actor: string; readonly now: number },
): DatabaseWork<void> {
  const { shape } = stepOf(session.domain, row.stage, row.step);
  if (section !== "") requireSection(shape.fields, section);
  const body = storableText(text);
  yield* execute(
    dialectic.insertInto("dialectic_feedback").values({
      id,
      run_id: row.run_id,
      stage: row.stage,
      step: row.step,
      document_key: row.document_key,
      slot: row.slot,
      lineage: row.lineage,
      match: row.match,
      artifact_id: row.id,
      section,
      body,
      hash: hashText(`${section}\n${body}`),
      state: "open",
      note: null,
      addressed_by: null,
      created_by: actor,
      created_at: now,
    }),
  );
}

function* settleFeedback(
  { runId }: Session,
  given: string,
  state: FeedbackState | undefined,
  note: string | undefined,
): DatabaseWork<void> {
  const rows = yield* query(
    dialectic
      .selectFrom("dialectic_feedback")
      .select("id")
      .where("run_id", "=", runId)
      .where("id", "like", `${given.replaceAll(/[%_]/g, "")}%`),
  );
  const [found, second] = rows;
  if (found === undefined || second !== undefined) {
    throw new ProductError("feedback_not_found", `There is no single remark "${given}".`, {
      kind: "not_found",
      hint: "`dialectic feedback` lists them with their ids.",
    });
  }
  if (state === undefined) {
    throw new ProductError("feedback_state_missing", "Say what becomes of it.", {
      hint: "Add --state open, addressed, deferred or rejected.",
    });
  }
  yield* execute(
    dialectic
      .updateTable("dialectic_feedback")
      .set({ state, ...(note === undefined ? {} : { note }) })
      .where("id", "=", found.id),
  );
}
