/** What happened in a run, as it was written down: numbered, chained, newest first. */

import { useList } from "../data/use-operation.ts";
import { clockSeconds, moment } from "../parts/format.ts";
import { MoreButton } from "../parts/more-button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { Words } from "../parts/words.tsx";
import { eventWords } from "./event-words.ts";

export function EventList({ runId }: { readonly runId: string }) {
  const list = useList("run.events", { runId, order: "newest", limit: 100 });
  return (
    <>
      <ProblemNote problem={list.problem} onRetry={list.refresh} />
      {list.isFirst && <SkeletonRows />}
      <ol className="rows events" aria-label="Events">
        {list.items.map(({ seq, type, actorName, actor, data, at, hash }) => (
          <li key={seq} title={`${moment(at)}\nhash ${hash}`}>
            <span className="num faint seq">{seq}</span>
            <span className="num muted">{clockSeconds(at)}</span>
            <span className="mono">{type}</span>
            <span className="muted cut grow">
              <Words text={eventWords(data)} />
            </span>
            <span className="small muted hide-n">{actorName ?? actor}</span>
          </li>
        ))}
      </ol>
      <MoreButton list={list} />
    </>
  );
}
