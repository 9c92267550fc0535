/** How long the messages of a conversation are, page by page: a conversation may be longer than memory should hold. */

import { runSql } from "../../../kernel/store/database-work.ts";
import { isRedacted, loadRedactionScope } from "../../../kernel/store/redaction-scope.ts";
import { sqlText } from "../../../kernel/store/sql-text.ts";
import type { Store } from "../../../kernel/store/store.ts";
import type { MessageSize } from "./plan-windows.ts";
import { TOLD_ROLES } from "./window-messages.ts";

const PAGE = 200;

const NEXT = sqlText(
  `select id, position, content from message where conversation_id = ? and role in ${TOLD_ROLES}
   and (position, id) > (?, ?) order by position, id limit ${PAGE}`,
);

export async function readSizes(
  store: Store,
  conversationId: string,
  projectId: string | undefined,
  tokensOf: (text: string) => number,
): Promise<readonly MessageSize[]> {
  const scope = await store.read(() =>
    loadRedactionScope(projectId === undefined ? undefined : [projectId]),
  );
  const sizes: MessageSize[] = [];
  let after = { position: -1, id: "" };
  for (;;) {
    const from = after;
    const rows = await store.read(() =>
      runSql<{ id: string; position: number; content: string }>(NEXT, [
        conversationId,
        from.position,
        from.id,
      ]),
    );
    for (const { id, position, content } of rows) {
      if (isRedacted(scope, { conversationId, messageId: id })) continue;
      if (content.trim() === "") continue;
      sizes.push({ id, position, characters: content.length, tokens: tokensOf(content) });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return sizes;
    after = { position: last.position, id: last.id };
  }
}
