/** A list of thoughts with the chosen one beside it; on a phone one after the other. */

import "./thoughts.css";
import { type ReactNode, useState } from "react";
import type { ShownLongList } from "../data/use-long-list.ts";
import { count } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { navigate } from "../router/place.ts";
import { useCommands } from "../shell/commands.ts";

const ROW = 74;

export function ThoughtShelf<Each extends { readonly id: string }>({
  title,
  path,
  list,
  chosenId,
  filters,
  action,
  renderLine,
  renderDetail,
  empty,
}: {
  readonly title: string;
  readonly path: string;
  readonly list: ShownLongList<Each>;
  readonly chosenId: string | undefined;
  readonly filters: ReactNode;
  readonly action: ReactNode;
  readonly renderLine: (thought: Each) => ReactNode;
  readonly renderDetail: (id: string) => ReactNode;
  readonly empty: ReactNode;
}) {
  const { items } = list;
  const chosen = chosenId ?? items[0]?.id;
  const [moved, setMoved] = useState<number>();
  const placeOf = (id: string) => `${path}/${id}${location.search}`;
  const move = (by: number) => {
    const at = items.findIndex(({ id }) => id === chosen);
    const next = Math.max(0, Math.min(items.length - 1, at + by));
    const { id } = items[next] ?? {};
    if (id === undefined) return;
    setMoved(next);
    navigate(placeOf(id), { replace: true });
  };
  useCommands(title, [
    { label: "Next one", keys: "j", isKeyOnly: true, run: () => move(1) },
    { label: "One before", keys: "k", isKeyOnly: true, run: () => move(-1) },
  ]);
  return (
    <div className="split twofold shelf" data-shows={chosenId === undefined ? "list" : "detail"}>
      <section className="pane" aria-label={title} aria-busy={list.isOld}>
        <header className="shelf-head">
          <h1>{title}</h1>
          <span className="muted num">
            {items.length > 0 && `${count(items.length)}${list.hasMore ? "+" : ""}`}
          </span>
          <span className="end">{action}</span>
        </header>
        <div className="shelf-filters">{filters}</div>
        <ProblemNote problem={list.problem} onRetry={list.refresh} />
        {list.isFirst && <SkeletonRows count={8} />}
        {items.length > 0 && (
          <VirtualList
            label={title}
            count={items.length}
            rowHeight={ROW}
            current={moved}
            onSee={list.see}
            renderRow={(n) => {
              const thought = items[n];
              return (
                thought && (
                  <a
                    className="item shelf-item"
                    href={placeOf(thought.id)}
                    aria-current={thought.id === chosen ? "true" : undefined}
                  >
                    {renderLine(thought)}
                  </a>
                )
              );
            }}
          />
        )}
      </section>
      <div className="detail pane">
        {chosen === undefined ? (
          !list.isFirst && list.problem === undefined && empty
        ) : (
          <>
            <div className="head shelf-back">
              <a
                className="btn quiet icon goback"
                href={`${path}${location.search}`}
                aria-label="Back to the list"
              >
                <Icon name="back" />
              </a>
            </div>
            <Scroll key={chosen} label={title} className="scroll shelf-detail">
              {renderDetail(chosen)}
            </Scroll>
          </>
        )}
      </div>
    </div>
  );
}
