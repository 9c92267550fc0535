/** Moments that stay true while the page is open. */

import { useEffect, useState } from "react";
import { ago, moment, span } from "./format.ts";

/** The present, renewed every so often. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function Ago({ at }: { readonly at: number }) {
  const now = useNow(20_000);
  return (
    <time dateTime={new Date(at).toISOString()} title={moment(at)}>
      {ago(at, now)}
    </time>
  );
}

/** How long something has been going on, or took. */
export function Lasting({ from, to }: { readonly from: number; readonly to?: number | undefined }) {
  const now = useNow(to === undefined ? 1000 : 3_600_000);
  const ms = (to ?? Math.max(now, from)) - from;
  return <span className="num">{span(to === undefined ? Math.floor(ms / 1000) * 1000 : ms)}</span>;
}
