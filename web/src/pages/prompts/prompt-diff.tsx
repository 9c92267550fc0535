/** This prompt beside one before it: what the same step was told then and is told now. */

import { useEffect, useRef } from "react";
import type { Item, Output } from "../../api/operation.ts";
import { useLongList } from "../../data/use-long-list.ts";
import { useOperation } from "../../data/use-operation.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ago, count, plural } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { SkeletonRows } from "../../parts/skeleton.tsx";
import { useNow } from "../../parts/time.tsx";
import { WholeDiff } from "../../parts/whole-diff.tsx";
import { useQueryField } from "../../router/place.ts";

type Detail = Output<"exchange.show">;
type Exchange = Item<"exchange.earlier">;

export function PromptDiff({ detail: { exchange } }: { readonly detail: Detail }) {
  const list = useLongList("exchange.earlier", { exchangeId: exchange.id, otherItems: true });
  const own = useOperation("exchange.earlier", { exchangeId: exchange.id, limit: 1 });
  const [asked, choose] = useQueryField("with");
  const chosen = asked ?? own.data?.items[0]?.id;
  const shown = useOperation(
    "exchange.diff",
    chosen === undefined ? undefined : { exchangeId: exchange.id, before: chosen },
  );
  const now = useNow(60_000);
  const isAlone = own.data !== undefined && chosen === undefined;
  const before = shown.data?.before;
  const choices = list.items.some(({ id }) => id === before?.id)
    ? list.items
    : [...(before === undefined ? [] : [before]), ...list.items];
  const pick = (value: string) => {
    if (value === OLDER) list.see(list.items.length - 1, list.items.length);
    else choose(value);
  };
  return (
    <section className="pane" aria-label="What changed">
      <header>
        <h2>What changed</h2>
        {choices.length > 0 && (
          <label className="row small muted end prompt-with">
            since
            <select
              className="inp"
              value={before?.id ?? ""}
              onChange={({ target }) => pick(target.value)}
            >
              {before === undefined && <option value="">choose one</option>}
              {choices.map((each) => (
                <option key={each.id} value={each.id}>
                  {nameOf(each, exchange, now)}
                </option>
              ))}
              {list.hasMore && <option value={OLDER}>older ones…</option>}
            </select>
          </label>
        )}
      </header>
      <Scroll label="What changed">
        <ProblemNote problem={own.problem ?? shown.problem ?? list.problem} />
        {isAlone && (
          <EmptyState title="There is none before it">
            This step was not asked before, in this run or in one of this name before it
            {choices.length > 0 && ", but for other items: choose one of them above"}. Ask again,
            and what its prompt says otherwise stands here.
          </EmptyState>
        )}
        {(own.isFirst || shown.isFirst) && <SkeletonRows count={8} />}
        {shown.data !== undefined && <Changes key={shown.data.before.id} diff={shown.data} />}
      </Scroll>
    </section>
  );
}

const OLDER = "older";

function nameOf(
  { runId, item, attempt, continuation, createdAt }: Exchange,
  own: Exchange,
  now: number,
) {
  const facts = [
    runId === own.runId ? "this run" : "a run before",
    item === undefined ? "" : `item ${item}`,
    attempt > 1 ? `attempt ${attempt}` : "",
    continuation > 0 ? `continuation ${continuation}` : "",
    ago(createdAt, now),
  ];
  return facts.filter(Boolean).join(", ");
}

function Changes({ diff: { lines, characters } }: { readonly diff: Output<"exchange.diff"> }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector(".add, .del")?.scrollIntoView({ block: "center" });
  }, []);
  const came = lines.filter(({ change }) => change === "added").length;
  const went = lines.filter(({ change }) => change === "removed").length;
  if (came + went === 0)
    return (
      <EmptyState title="Both say the same">Not a character of the prompt is different.</EmptyState>
    );
  return (
    <div ref={box}>
      <p className="small muted num prompt-changes">
        {plural(came, "line")} came, {plural(went, "line")} went,{" "}
        {characters === 0
          ? "as long as before"
          : `${count(Math.abs(characters))} characters ${characters > 0 ? "more" : "less"}`}
      </p>
      <WholeDiff lines={lines} />
    </div>
  );
}
