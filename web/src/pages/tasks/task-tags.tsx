import { Words } from "../../parts/words.tsx";
import type { TaskLine } from "../../thoughts/task-moves.ts";

/** What sets a task apart: that it blocks, that it presses, what it is about. */
export function TaskTags({ task }: { readonly task: TaskLine }) {
  const { hasBlocker, hasOpenLoop, urgency, tags, parts } = task;
  return (
    <span className="task-tags">
      {hasBlocker && <span className="tag strong">blocker</span>}
      {hasOpenLoop && <span className="tag">open loop</span>}
      {(urgency === "urgent" || urgency === "high") && <span className="tag">{urgency}</span>}
      {tags.slice(0, 2).map((tag) => (
        <span key={tag} className="tag faint-tag">
          <Words text={tag} />
        </span>
      ))}
      {parts !== undefined && <span className="micro muted num">{parts} parts</span>}
    </span>
  );
}
