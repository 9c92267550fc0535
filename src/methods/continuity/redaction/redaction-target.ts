/** What somebody wants redacted, as they point at it: a conversation, a message, or words of a message. */

import { ProductError } from "../../../kernel/base/errors.ts";
import type { DatabaseWork } from "../../../kernel/store/database-work.ts";
import { queryFirst } from "../../../kernel/store/database-work.ts";
import { getMessage, type Message } from "../../../kernel/store/messages.ts";
import { db } from "../../../kernel/store/query-builder.ts";
import type { NewRedaction } from "../../../kernel/store/redactions.ts";
import { resolveId } from "../../../kernel/store/resolve-id.ts";
import type { Span } from "../../../kernel/store/thought-source.ts";
import type { Viewer } from "../../../kernel/store/visibility.ts";

export interface RedactionTarget {
  readonly conversation?: string | undefined;
  readonly message?: string | undefined;
  readonly text?: string | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

type Covered = Pick<NewRedaction, "conversationId" | "messageId" | "span">;

/** Nothing is found where nothing was pointed at and nothing has to be. */
export function* findTargets(
  target: RedactionTarget,
  projectId: string,
  viewer: Viewer,
  { isOptional }: { readonly isOptional: boolean },
): DatabaseWork<readonly Covered[]> {
  const { conversation, message, text, start, end } = target;
  if (conversation === undefined && message === undefined) {
    if (isOptional && text === undefined && start === undefined && end === undefined) return [];
    throw invalid("Say which conversation or message to redact.");
  }
  if (message === undefined) {
    if (text !== undefined || start !== undefined || end !== undefined)
      throw invalid("A passage lies in a message: say which one.");
    const conversationId = yield* resolveId("conversation", conversation ?? "", viewer);
    yield* requireLink(conversationId, projectId);
    return [{ conversationId }];
  }
  const found = yield* getMessage(yield* resolveId("message", message, viewer), viewer);
  yield* requireLink(found.conversationId, projectId);
  return spansOf(found, target).map((span) => ({ messageId: found.id, ...span }));
}

function spansOf(
  { content }: Message,
  { text, start, end }: RedactionTarget,
): readonly { readonly span?: Span }[] {
  if (text !== undefined) {
    if (start !== undefined || end !== undefined)
      throw invalid("Give the words of the passage or its place, not both.");
    return occurrences(content, text).map((span) => ({ span }));
  }
  if (start === undefined && end === undefined) return [{}];
  return [{ span: { start: start ?? 0, end: end ?? content.length } }];
}

function occurrences(content: string, text: string): readonly Span[] {
  const spans: Span[] = [];
  for (let at = content.indexOf(text); at !== -1; at = content.indexOf(text, at + text.length)) {
    spans.push({ start: at, end: at + text.length });
  }
  if (spans.length > 0) return spans;
  throw new ProductError("passage_not_found", "The message does not hold these words.", {
    kind: "not_found",
    hint: "Copy them from `message reveal`, or give `--start` and `--end`.",
  });
}

/** A project has a say only about what belongs to it. */
function* requireLink(conversationId: string, projectId: string): DatabaseWork<void> {
  const link = yield* queryFirst(
    db
      .selectFrom("conversation_project")
      .select("project_id")
      .where("conversation_id", "=", conversationId)
      .where("project_id", "=", projectId),
  );
  if (link !== undefined) return;
  throw new ProductError(
    "conversation_elsewhere",
    `The conversation "${conversationId}" is not part of this project.`,
    { kind: "not_found", hint: "Link it first: `conversation link`." },
  );
}

function invalid(message: string): ProductError {
  return new ProductError("redaction_target_invalid", message, {
    hint: "See `redact --help`.",
  });
}
