import { EmptyState } from "../../parts/empty-state.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { Words } from "../../parts/words.tsx";
import type { SessionTabProps } from "./session-view.tsx";

/** What the one commit says, as it is. */
export function SessionMessage({ detail: { session } }: SessionTabProps) {
  return (
    <div className="pane grow">
      <Scroll className="scroll session-text" label="Commit message">
        {session.message === undefined ? (
          <EmptyState title="There is no commit yet">
            When the session is finished, one commit holds the prompt, the context and what changed.
          </EmptyState>
        ) : (
          <pre className="code session-prompt">
            <Words text={session.message} />
          </pre>
        )}
      </Scroll>
    </div>
  );
}
