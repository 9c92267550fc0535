/** The messages of a window as a model may see them: without those that are redacted, and without redacted passages. */

import { type DatabaseWork, runSql } from "../../../kernel/store/database-work.ts";
import type { MessageRole } from "../../../kernel/store/noun-tables.ts";
import { maskSpans } from "../../../kernel/store/redacted-text.ts";
import {
  findInMessage,
  isRedacted,
  loadRedactionScope,
  type RedactionScope,
} from "../../../kernel/store/redaction-scope.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import type { Span } from "../../../kernel/store/thought-source.ts";
import type { Window } from "./plan-windows.ts";

export interface WindowMessage {
  readonly id: string;
  /** How the prompt calls it. */
  readonly mark: string;
  readonly role: MessageRole;
  /** As it is kept; a quote is looked for here. */
  readonly content: string;
  /** What of it is shown, in places of `content`. */
  readonly shown: Span;
  readonly hidden: readonly Span[];
}

export function* readWindow(
  conversationId: string,
  projectId: string | null,
  window: Window,
): DatabaseWork<readonly WindowMessage[]> {
  const scope = yield* loadRedactionScope(projectId === null ? undefined : [projectId]);
  const rows = yield* readRows(conversationId, window);
  return rows
    .filter(({ id }) => !isRedacted(scope, { conversationId, messageId: id }))
    .map((row, index) => toWindowMessage(row, index, window, scope));
}

/** What a model is shown of it. */
export function shownText({ content, shown, hidden }: WindowMessage): string {
  const inside = hidden
    .map(({ start, end }) => ({ start: start - shown.start, end: end - shown.start }))
    .filter(({ end }) => end > 0);
  return maskSpans(content.slice(shown.start, shown.end), inside);
}

interface MessageRow {
  readonly id: string;
  readonly role: MessageRole;
  readonly content: string;
}

/** What tools and settings say is not thinking. */
export const TOLD_ROLES = "('user', 'assistant', 'other')";

const ROWS = sqlText(
  `select id, role, content from message where conversation_id = ? and role in ${TOLD_ROLES}
   and (position, id) > (?, ?) and (position, id) <= (?, ?) order by position, id`,
);

function* readRows(
  conversationId: string,
  { after, through }: Window,
): DatabaseWork<readonly MessageRow[]> {
  return yield* runSql<MessageRow>(ROWS, [
    conversationId,
    after?.position ?? -1,
    after?.id ?? "",
    through.position,
    through.id,
  ]);
}

function toWindowMessage(
  { id, role, content }: MessageRow,
  index: number,
  { slice }: Window,
  scope: RedactionScope,
): WindowMessage {
  return {
    id,
    mark: `m${index + 1}`,
    role,
    content,
    shown: slice ?? { start: 0, end: content.length },
    hidden: findInMessage(scope, id, content),
  };
}
