import { useEffect, useState } from "react";
import { followReply } from "../api/follow-reply.ts";
import { reportProblem } from "../shell/problems.ts";

/** The reply so far, while it is still arriving; undefined until something is known. */
export function useReply(exchangeId: string | undefined): string | undefined {
  const [reply, setReply] = useState<{ readonly of: string; readonly text: string }>();
  useEffect(() => {
    if (exchangeId === undefined) return;
    const stop = new AbortController();
    followReply(exchangeId, (text) => setReply({ of: exchangeId, text }), stop.signal).catch(
      reportProblem,
    );
    return () => stop.abort();
  }, [exchangeId]);
  return reply !== undefined && reply.of === exchangeId ? reply.text : undefined;
}
