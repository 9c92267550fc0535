import { useOperation } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { Words } from "../../parts/words.tsx";
import type { SessionTabProps } from "./session-view.tsx";

/** The report as its commit holds it. */
export function SessionReport({ detail: { session } }: SessionTabProps) {
  const asked = session.changeId === undefined ? undefined : { session: session.id, report: true };
  const { data, problem, isFirst, refresh } = useOperation("session.show", asked);
  const text = data?.report;
  return (
    <div className="pane grow" aria-busy={isFirst}>
      <Scroll className="scroll session-text" label="Report">
        <ProblemNote problem={problem} onRetry={refresh} />
        {isFirst && <SkeletonRows />}
        {text !== undefined && (
          <>
            <div className="session-change">
              <Words text={session.reportPath ?? ""} />
            </div>
            <Markdown text={withoutHead(text)} />
          </>
        )}
        {text === undefined && !isFirst && problem === undefined && (
          <EmptyState
            title={
              session.changeId === undefined
                ? "There is no report yet"
                : "The commit holds no report"
            }
          >
            Finishing writes one into the repository, also when no file changed, and keeps the
            strategy of its subject in step.
          </EmptyState>
        )}
      </Scroll>
    </div>
  );
}

/** Its head says for programs what the page says elsewhere. */
function withoutHead(text: string): string {
  return text.replace(/^---\n[^]*?\n---\n+/, "");
}
