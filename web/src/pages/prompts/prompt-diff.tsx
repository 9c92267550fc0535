/** This prompt beside one before it: what the same step was told then and is told now. */

import { useEffect, useRef } from "react";
import type { Item, Output } from "../../api/operation.ts";
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
type Exchange = Item<"exchange.list">;

export function PromptDiff({ detail }: { readonly detail: Detail }) {
  const { earlier, isKnown, problem } = useEarlier(detail.exchange);
  const [asked, choose] = useQueryField("with");
  const before = earlier.find(({ id }) => id === asked) ?? earlier[0];
  const shown = useOperation(
    "exchange.diff",
    before === undefined ? undefined : { exchangeId: detail.exchange.id, before: before.id },
  );
  const now = useNow(60_000);
  return (
    <section className="pane" aria-label="What changed">
      <header>
        <h2>What changed</h2>
        {before !== undefined && (
          <label className="row small muted end prompt-with">
            since
            <select
              className="inp"
              value={before.id}
              onChange={({ target }) => choose(target.value)}
            >
              {earlier.map((each) => (
                <option key={each.id} value={each.id}>
                  {nameOf(each, detail.exchange, now)}
                </option>
              ))}
            </select>
          </label>
        )}
      </header>
      <Scroll label="What changed">
        <ProblemNote problem={problem ?? shown.problem} />
        {before === undefined && isKnown && (
          <EmptyState title="There is none before it">
            This step was not asked before, in this run or in the one of this name before it. Ask
            again, and what its prompt says otherwise stands here.
          </EmptyState>
        )}
        {before !== undefined && shown.isFirst && <SkeletonRows count={8} />}
        {shown.data !== undefined && shown.data.before.id === before?.id && (
          <Changes key={before.id} diff={shown.data} />
        )}
      </Scroll>
    </section>
  );
}

function nameOf(
  { runId, item, attempt, continuation, createdAt }: Exchange,
  own: Exchange,
  now: number,
) {
  const facts = [
    runId === own.runId ? "this run" : "the run before",
    item === undefined ? "" : `item ${item}`,
    attempt > 1 ? `attempt ${attempt}` : "",
    continuation > 0 ? `continuation ${continuation}` : "",
    ago(createdAt, now),
  ];
  return facts.filter(Boolean).join(", ");
}

interface Earlier {
  /** The likeliest first: of the same item in this run, then in the run before, then of other items in this one. */
  readonly earlier: readonly Exchange[];
  readonly isKnown: boolean;
  readonly problem: ReturnType<typeof useOperation>["problem"];
}

const MANY = 100;

function useEarlier({ id, runId, step, item }: Exchange): Earlier {
  const newest = { step, order: "newest", limit: MANY } as const;
  const here = useOperation("exchange.list", { ...newest, runId, cursor: id });
  const run = useOperation("run.show", { runId }).data?.run;
  const runs = useOperation(
    "run.list",
    run === undefined ? undefined : { method: run.method, limit: MANY },
  );
  const last = runs.data?.items.find((each) => each.title === run?.title && each.id < runId);
  const there = useOperation(
    "exchange.list",
    last === undefined ? undefined : { ...newest, runId: last.id },
  );
  const ofItem = (each: Exchange) => each.item === item;
  const [own = [], others = []] = [here.data?.items, there.data?.items];
  return {
    earlier: [
      ...own.filter(ofItem),
      ...others.filter(ofItem),
      ...own.filter((each) => !ofItem(each)),
    ],
    isKnown: here.data !== undefined && runs.data !== undefined && !there.isFirst,
    problem: here.problem ?? runs.problem ?? there.problem,
  };
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
