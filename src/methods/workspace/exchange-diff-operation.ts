/** What a prompt says otherwise than another one, or than the one before it. */

import { z } from "zod";
import { ProductError } from "../../kernel/base/errors.ts";
import type { Caller } from "../../kernel/operation/caller.ts";
import { defineOperation } from "../../kernel/operation/operation.ts";
import { idField } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { diffPrompts, type PartDiff } from "../../kernel/prompt/diff-prompts.ts";
import { explainRow } from "../../kernel/prompt/ledger.ts";
import { isPromptTrace, sentPrompt } from "../../kernel/prompt/sent-prompt.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { listEarlierExchanges } from "./earlier-exchanges.ts";
import { getExchange, getExchangeText, type ShownExchange } from "./exchange-rows.ts";
import { exchangeDiff } from "./exchange-shape.ts";
import { renderExchangeDiff } from "./exchange-view.ts";
import { type ExchangeWords, readableWords } from "./readable-exchange.ts";
import { getRun } from "./run-rows.ts";

export const diff = defineOperation({
  name: "exchange.diff",
  summary:
    "Shows what a prompt says otherwise than the one before it of the same step and item, or than another one, part by part and line by line.",
  effect: "reads",
  permission: "answer",
  projectScope: { exchangeId: "exchange", before: "exchange" },
  input: z.object({
    exchangeId: idField("exchange"),
    before: idField("exchange")
      .optional()
      .describe(
        "The one to compare it with; unless given, the one before it of the same step and item: in its run, else in the newest earlier run of that title that asked it.",
      ),
  }),
  output: exchangeDiff,
  surfaces: {
    cli: {
      positionals: ["exchangeId", "before"],
      examples: ["exchange diff 0199a1b2-c3d4", "exchange diff 0199a1b2-c3d4 0199a1b2-e5f6"],
      render: rendering(exchangeDiff, renderExchangeDiff),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, input) =>
    kernel.store.read(function* () {
      const after = yield* readSide(input.exchangeId, caller);
      const before = yield* readSide(
        input.before ?? (yield* earlierThan(after.exchange, caller)),
        caller,
      );
      const isMasked = before.isMasked || after.isMasked;
      // Places in a text that is masked are not those of its trace; with one trace alone all parts would be new.
      const hasParts =
        !isMasked && [before, after].every(({ words }) => isPromptTrace(words.trace));
      const promptOf = ({ words }: Side) =>
        sentPrompt(words.messages, hasParts ? words.trace : undefined);
      const { parts, lines, counts, characters } = diffPrompts(promptOf(before), promptOf(after));
      return {
        before: before.exchange,
        after: after.exchange,
        isMasked,
        counts,
        characters,
        parts: parts.map(toPart),
        lines,
        asOf: kernel.clock.now(),
      };
    }),
});

interface Side {
  readonly exchange: ShownExchange;
  readonly words: ExchangeWords;
  readonly isMasked: boolean;
}

function* readSide(given: string, caller: Caller): DatabaseWork<Side> {
  const exchange = yield* getExchange(yield* resolveId("exchange", given, caller));
  const { projectId } = yield* getRun(exchange.runId, caller);
  const text = yield* getExchangeText(exchange.id);
  if (text.isPruned) throw pruned(exchange.id);
  return { exchange, ...(yield* readableWords(text, projectId)) };
}

function* earlierThan(exchange: ShownExchange, caller: Caller): DatabaseWork<string> {
  const [earlier] = yield* listEarlierExchanges(exchange, caller, { otherItems: false, limit: 1 });
  if (earlier !== undefined) return earlier.id;
  const item = exchange.item === undefined ? "" : `, item "${exchange.item}"`;
  throw new ProductError(
    "exchange_first",
    `Nothing was asked before it at step "${exchange.step}"${item}, in its run or an earlier one of that title.`,
    {
      kind: "conflict",
      hint: "Name the one to compare it with; `exchange list RUN` shows those of a run, `exchange earlier EXCHANGE --other-items` those of other items.",
      details: { exchange: exchange.id },
    },
  );
}

function pruned(id: string): ProductError {
  return new ProductError("exchange_pruned", "The words of this prompt were pruned.", {
    kind: "conflict",
    hint: "Its hash is kept: `exchange show` shows it, and the same hash says the same words.",
    details: { exchange: id },
  });
}

function toPart({ part, layer, change, before, after }: PartDiff) {
  const ref = (after ?? before)?.ref;
  return {
    part,
    layer,
    change,
    ...(ref === undefined ? {} : { type: ref.type, id: ref.id }),
    before: before && explainRow(before),
    after: after && explainRow(after),
  };
}
