/** What must hold of a finished prompt, looked up now: breaches first in words, each with its code. */

import { useOperation } from "../../data/use-operation.ts";
import { Button } from "../../parts/button.tsx";
import { plural } from "../../parts/format.ts";
import { Glyph } from "../../parts/glyph.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Words } from "../../parts/words.tsx";
import type { SessionTabProps } from "./session-view.tsx";

const GLYPHS = { holds: "ok", breach: "fail", not_applicable: "skip" } as const;
const VERDICTS = { holds: "holds", breach: "broken", not_applicable: "does not apply" } as const;

export function SessionInvariants({ detail: { session } }: SessionTabProps) {
  const { data, problem, isFirst, isReading, refresh } = useOperation("session.check", {
    session: session.id,
  });
  const invariants = data?.sessions[0]?.invariants ?? [];
  return (
    <div className="pane grow" aria-busy={isFirst}>
      <div className="sub">
        <span className="small muted">
          {data === undefined
            ? "Looking at the repository and its remote…"
            : data.breaches === 0
              ? `${plural(invariants.filter(({ verdict }) => verdict === "holds").length, "invariant")} hold`
              : plural(data.breaches, "breach", "breaches")}
        </span>
        <span className="end">
          <Button size="small" icon="retry" isBusy={isReading} onPress={refresh}>
            Look again
          </Button>
        </span>
      </div>
      <Scroll label="Invariants">
        <ProblemNote problem={problem} onRetry={refresh} />
        {isFirst && <SkeletonRows count={8} />}
        <ul className="rows invariants" aria-label="Invariants">
          {invariants.map(({ code, verdict, says }) => (
            <li key={code} data-verdict={verdict}>
              <Glyph state={GLYPHS[verdict]} />
              <span className="invariant-code">{code}</span>
              <span className={verdict === "breach" ? "grow fail" : "grow muted"}>
                <span className="sr">{VERDICTS[verdict]}: </span>
                <Words text={says} />
              </span>
            </li>
          ))}
        </ul>
      </Scroll>
    </div>
  );
}
