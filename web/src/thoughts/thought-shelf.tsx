/** A list of thoughts with the chosen one beside it; on a phone one after the other. */

import "./thoughts.css";
import { type ReactNode, useState } from "react";
import type { ShownLongList } from "../data/use-long-list.ts";
import { Button } from "../parts/button.tsx";
import { count } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Source } from "../parts/reference.tsx";
import { Scroll } from "../parts/scroll.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import { Segmented } from "../parts/tabs.tsx";
import { Ago } from "../parts/time.tsx";
import { useNarrow } from "../parts/use-narrow.ts";
import { VirtualList } from "../parts/virtual-list.tsx";
import { Words } from "../parts/words.tsx";
import { navigate, useQueryField } from "../router/place.ts";
import { useCommands } from "../shell/commands.ts";
import { openSheet } from "../shell/open-sheet.ts";
import { useMay } from "../shell/session.ts";

const ROW = 74;
const ROW_ON_A_PHONE = 80;

export interface ShelfView<Name extends string> {
  readonly name: Name;
  readonly label: string;
}

/** Which of them are shown, as the address keeps it; the first unless it says otherwise. */
export function useShelfView<Name extends string>(
  views: readonly [ShelfView<Name>, ...ShelfView<Name>[]],
): Name {
  const [asked] = useQueryField("view");
  return (views.find(({ name }) => name === asked) ?? views[0]).name;
}

/** A thought in the list: what it is called, when, and two lines about it. */
interface ShelfLine {
  readonly title: string;
  readonly at: number;
  readonly below: string;
  /** It no longer counts; why. */
  readonly tag?: string | undefined;
}

export function ThoughtShelf<Each extends { readonly id: string }, Name extends string>({
  kind,
  title,
  path,
  list,
  chosenId,
  views,
  view,
  lineOf,
  renderDetail,
  empty,
}: {
  readonly kind: "decision" | "highlight";
  readonly title: string;
  readonly path: string;
  readonly list: ShownLongList<Each>;
  readonly chosenId: string | undefined;
  readonly views: readonly ShelfView<Name>[];
  readonly view: Name;
  readonly lineOf: (thought: Each) => ShelfLine;
  readonly renderDetail: (id: string) => ReactNode;
  readonly empty: ReactNode;
}) {
  const { items } = list;
  const chosen = chosenId ?? items[0]?.id;
  const mayEdit = useMay("edit");
  const isNarrow = useNarrow();
  const [, setView] = useQueryField("view");
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
        <header className="list-head">
          <h1>{title}</h1>
          <span className="muted num">
            {items.length > 0 && `${count(items.length)}${list.hasMore ? "+" : ""}`}
          </span>
          <span className="end">
            {mayEdit && (
              <Button size="small" icon="plus" onPress={() => openSheet("capture")}>
                Capture
              </Button>
            )}
          </span>
        </header>
        <div className="list-which">
          <Segmented
            label="Which"
            choices={views}
            chosen={view}
            onChoose={(name) => setView(name === views[0]?.name ? undefined : name)}
          />
        </div>
        <ProblemNote problem={list.problem} onRetry={list.refresh} />
        {list.isFirst && <SkeletonRows count={8} />}
        {items.length > 0 && (
          <VirtualList
            label={title}
            count={items.length}
            rowHeight={isNarrow ? ROW_ON_A_PHONE : ROW}
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
                    <Source kind={kind} />
                    <Line line={lineOf(thought)} />
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

function Line({ line: { title, at, below, tag } }: { readonly line: ShelfLine }) {
  return (
    <>
      <span className={`t cut ${tag === undefined ? "" : "muted"}`}>
        <Words text={title} />
      </span>
      <Ago at={at} />
      <span className="d">
        {tag !== undefined && <span className="tag">{tag}</span>} <Words text={below} />
      </span>
    </>
  );
}
