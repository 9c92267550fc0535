/** `highlight convert`: evidence becomes a commitment, from which packets can start. */

import { z } from "zod";
import { ProductError } from "../../../kernel/base/errors.ts";
import type { Caller } from "../../../kernel/operation/caller.ts";
import { change } from "../../../kernel/operation/change-work.ts";
import { defineOperation, type Operation } from "../../../kernel/operation/operation.ts";
import {
  becauseField,
  idField,
  projectField,
  textField,
  titleField,
} from "../../../kernel/operation/operation-fields.ts";
import { requireRight } from "../../../kernel/operation/project-rights.ts";
import { withoutRedacted } from "../../../kernel/operation/redacted-view.ts";
import { rendering } from "../../../kernel/operation/rendering.ts";
import { resolveOptional, resolveProject } from "../../../kernel/operation/resolve-names.ts";
import { shortId } from "../../../kernel/operation/short-ids.ts";
import { doneLine } from "../../../kernel/operation/state-marks.ts";
import { blocks } from "../../../kernel/operation/terminal-text.ts";
import { truncateText } from "../../../kernel/prompt/truncate-text.ts";
import type { Act } from "../../../kernel/store/audited-rows.ts";
import { onlyProjectOf } from "../../../kernel/store/conversations.ts";
import { type DatabaseWork, queryFirst } from "../../../kernel/store/database-work.ts";
import { insertDecision } from "../../../kernel/store/decisions.ts";
import { getHighlight, type Highlight } from "../../../kernel/store/highlights.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import { loadRedactionScope } from "../../../kernel/store/redaction-scope.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import { insertTask } from "../../../kernel/store/tasks.ts";
import { findWithheld } from "../../../kernel/store/withheld-sources.ts";

const converted = z.object({
  type: z.enum(["task", "decision"]),
  id: z.string(),
  title: z.string(),
  projectId: z.string().optional(),
  highlightId: z.string(),
  isNew: z.boolean().describe("False where this had been made out of the highlight before."),
});

const convert = defineOperation({
  name: "highlight.convert",
  summary: "Makes a task or a decision out of a highlight, which it keeps as its source.",
  effect: "writes",
  permission: "edit",
  projectScope: { highlightId: "highlight", project: "project" },
  input: z.object({
    highlightId: idField("highlight"),
    to: z.enum(["task", "decision"]).describe("What it becomes."),
    title: titleField
      .optional()
      .describe("In one line; the highlight's first sentence unless given."),
    text: textField(100_000)
      .optional()
      .describe(
        "The task's description or the decision's reason; the highlight's words unless given.",
      ),
    project: projectField
      .optional()
      .describe(
        "Where it belongs; the highlight's project, else its conversation's, unless given.",
      ),
    because: becauseField,
  }),
  output: converted,
  surfaces: {
    cli: {
      positionals: ["highlightId", "to"],
      examples: [
        "highlight convert 0199a1b2-c3d4 task",
        'highlight convert 0199a1b2-c3d4 decision --title "Leases, not locks"',
      ],
      render: rendering(converted, renderConverted),
    },
    mcp: "full",
  },
  run: (context, { highlightId, project, because, ...wanted }) => {
    const { kernel, caller } = context;
    const newId = kernel.ids.next();
    return change(
      context,
      function* (act) {
        const id = yield* resolveId("highlight", highlightId, caller);
        const highlight = yield* getHighlight(id, caller);
        const given = yield* resolveOptional(project, (text) => resolveProject(text, caller));
        const projectId = given ?? (yield* projectOf(highlight, caller));
        const words = wordsOf(yield* readableContent(highlight, projectId), wanted);
        const known = yield* findMade(wanted.to, id, words.title);
        const made = known ?? newId;
        if (known === undefined) {
          yield* insertThought(wanted.to, { id: newId, projectId, highlight, ...words }, act);
        }
        return {
          type: wanted.to,
          id: made,
          title: words.title,
          projectId,
          highlightId: id,
          isNew: known === undefined,
        };
      },
      because,
    );
  },
});

export const conversionOperations: readonly Operation[] = [convert];

const LONGEST_TITLE = 120;

interface Words {
  readonly title: string;
  readonly text: string;
}

function wordsOf(
  content: string,
  given: { readonly title?: string | undefined; readonly text?: string | undefined },
): Words {
  const line = content.replaceAll(/\s+/g, " ").trim();
  const [sentence = line] = /^.*?[.!?。！？](?=\s|$)/u.exec(line) ?? [];
  const title = given.title ?? truncateText(sentence, LONGEST_TITLE);
  // A title that says it all needs no text that says it again.
  const text = given.text ?? (title === line ? "" : content);
  return { title, text };
}

/** The conversation's, where it has exactly one and the caller may write there. */
function* projectOf(
  { projectId, conversationId }: Highlight,
  caller: Caller,
): DatabaseWork<string | undefined> {
  const found = projectId ?? (yield* onlyProjectOf(conversationId ?? null)) ?? undefined;
  if (found !== undefined) yield* requireRight(caller, found, "edit");
  return found;
}

function* readableContent(
  highlight: Highlight,
  projectId: string | undefined,
): DatabaseWork<string> {
  const scope = yield* loadRedactionScope(projectId === undefined ? undefined : [projectId]);
  const withheld = yield* findWithheld("highlight", [highlight.id], scope);
  if (withheld.has(highlight.id)) throw highlightRedacted(highlight.id);
  const [readable] = yield* withoutRedacted([{ ...highlight, projectId }], ["content"]);
  return readable?.content ?? "";
}

/** Doing it again changes nothing; another title makes another thought. */
function* findMade(
  type: "task" | "decision",
  highlightId: string,
  title: string,
): DatabaseWork<string | undefined> {
  const row = yield* queryFirst(
    db
      .selectFrom(type as "task")
      .select("id")
      .where("source_type", "=", "highlight")
      .where("source_id", "=", highlightId)
      .where("title", "=", title)
      .where("is_inactive", "=", 0)
      .orderBy("id")
      .limit(1),
  );
  return row?.id;
}

interface NewThought extends Words {
  readonly id: string;
  readonly projectId: string | undefined;
  readonly highlight: Highlight;
}

function* insertThought(
  type: "task" | "decision",
  { id, projectId, title, text, highlight }: NewThought,
  act: Act,
): DatabaseWork<void> {
  const source = { type: "highlight" as const, id: highlight.id };
  if (type === "task") {
    const description = text === "" ? undefined : text;
    yield* insertTask({ id, projectId, title, description, source }, act);
    return;
  }
  const { conversationId, messageId } = highlight;
  yield* insertDecision(
    { id, projectId, title, content: text, conversationId, messageId, source },
    act,
  );
}

function highlightRedacted(id: string): ProductError {
  return new ProductError("highlight_redacted", `The highlight "${id}" is redacted.`, {
    kind: "conflict",
    hint: "Lift the redaction first, or convert another one.",
    details: { id },
  });
}

function renderConverted(made: z.output<typeof converted>): string {
  const { type, id, title, highlightId, isNew } = made;
  const line = isNew
    ? `Made ${type} ${shortId(id)} "${title}" out of highlight ${shortId(highlightId)}.`
    : `There already: ${type} ${shortId(id)} "${title}" was made out of this highlight.`;
  return blocks(doneLine(line), `Start from it: throughline packet compile ${type} ${shortId(id)}`);
}
