/** A conversation's messages, page by page. Read again as a whole when it changes: what was redacted must be gone. */

import { useCallback, useState } from "react";
import { callOperation } from "../../api/call.ts";
import type { CallProblem } from "../../api/call-problem.ts";
import { useQuery } from "../../data/use-operation.ts";
import type { Talk } from "./talk.ts";

export interface Messages {
  readonly head: Talk | undefined;
  readonly messages: Talk["messages"];
  readonly hasMore: boolean;
  readonly isReading: boolean;
  readonly problem: CallProblem | undefined;
  readonly more: () => void;
  readonly refresh: () => void;
}

const PAGE = 60;

export function useMessages(conversationId: string): Messages {
  const [pages, setPages] = useState(1);
  const name = "conversation.show";
  const shown = useQuery<Talk>(
    `${name} ${conversationId} pages ${pages}`,
    {
      name,
      input: { conversationId },
      read: (signal) => readPages(conversationId, pages, signal),
    },
    {},
  );
  const { data, isReading } = shown;
  const hasMore = data?.nextCursor !== undefined;
  const more = useCallback(() => {
    if (hasMore && !isReading) setPages((now) => now + 1);
  }, [hasMore, isReading]);
  return {
    head: data,
    messages: data?.messages ?? [],
    hasMore,
    isReading,
    problem: shown.problem,
    more,
    refresh: shown.refresh,
  };
}

async function readPages(
  conversationId: string,
  count: number,
  signal: AbortSignal,
): Promise<Talk> {
  const messages: Talk["messages"][number][] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const given = await callOperation(
      "conversation.show",
      { conversationId, limit: PAGE, cursor },
      { signal },
    );
    messages.push(...given.messages);
    cursor = given.nextCursor;
    if (cursor === undefined || page >= count) return { ...given, messages };
  }
}
