/** What a run asked models: each prompt with its model, size, cost and outcome. */

import type { Item } from "../api/operation.ts";
import { useList } from "../data/use-operation.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { brief, money, span } from "../parts/format.ts";
import { Glyph } from "../parts/glyph.tsx";
import { MoreButton } from "../parts/more-button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SkeletonRows } from "../parts/skeleton.tsx";
import type { State } from "../parts/state.ts";
import { Ago } from "../parts/time.tsx";
import { Words } from "../parts/words.tsx";
import { useSteps } from "./step-outline.tsx";

type Exchange = Item<"exchange.list">;

export function ExchangeList({
  runId,
  step,
  isLive = false,
}: {
  readonly runId: string;
  readonly step?: string | undefined;
  readonly isLive?: boolean;
}) {
  const everyMs = isLive ? 2000 : undefined;
  const { steps = [] } = useSteps(runId);
  const names = new Map(steps.map(({ id, name }) => [id, name]));
  const list = useList("exchange.list", { runId, step, limit: 100 }, { everyMs });
  return (
    <>
      <ProblemNote problem={list.problem} onRetry={list.refresh} />
      {list.isFirst && <SkeletonRows />}
      <div className="rows exchanges">
        {list.items.map((exchange) => (
          <ExchangeLine key={exchange.id} exchange={exchange} name={names.get(exchange.step)} />
        ))}
      </div>
      {list.data !== undefined && list.items.length === 0 && (
        <EmptyState title="No model was asked">
          Each prompt is kept here before it is sent, with what came back and what was made of it.
        </EmptyState>
      )}
      <MoreButton list={list} />
    </>
  );
}

export function exchangeState({ outcome, loss }: Pick<Exchange, "outcome" | "loss">): State {
  if (outcome === "open") return "run";
  if (outcome !== "answered") return "fail";
  // Whatever only changed the spelling left the reply whole.
  return loss === undefined || loss === "none" || loss === "syntactic" ? "ok" : "part";
}

function ExchangeLine({
  exchange,
  name,
}: {
  readonly exchange: Exchange;
  readonly name: string | undefined;
}) {
  const { id, step, item, attempt, continuation, model, outcome, failure, createdAt, finishedAt } =
    exchange;
  const more = [
    item === undefined ? "" : `item ${item}`,
    attempt > 1 ? `attempt ${attempt}` : "",
    continuation > 0 ? `continuation ${continuation}` : "",
    outcome === "answered" ? "" : outcome === "open" ? "arriving" : (failure ?? outcome),
  ];
  const tokens = exchange.inputTokens === undefined ? "" : `${brief(exchange.inputTokens)} in`;
  const out = exchange.outputTokens === undefined ? "" : `${brief(exchange.outputTokens)} out`;
  return (
    <a href={`/prompts/${id}`}>
      <Glyph state={exchangeState(exchange)} />
      <span className="b cut">
        <Words text={name ?? step} />
      </span>
      <span className="muted cut grow">{[...more, model].filter(Boolean).join(", ")}</span>
      <span className="small num muted hide-n">{[tokens, out].filter(Boolean).join(", ")}</span>
      <span className="small num hide-n cost">
        {exchange.costMicroUsd === undefined ? "" : money(exchange.costMicroUsd)}
      </span>
      <span className="small num muted took">
        {finishedAt === undefined ? <Ago at={createdAt} /> : span(finishedAt - createdAt)}
      </span>
    </a>
  );
}
