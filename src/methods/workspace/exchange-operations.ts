/** Exchanges: every prompt as it was sent, the raw reply, and what reading made of it. */

import { z } from "zod";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { idField, orderField, pageFields } from "../../kernel/operation/operation-fields.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { listEarlierExchanges } from "./earlier-exchanges.ts";
import { diff } from "./exchange-diff-operation.ts";
import { getExchange, getExchangeText, listExchanges } from "./exchange-rows.ts";
import { exchangeDetail, exchangeList } from "./exchange-shape.ts";
import { renderEarlierExchanges, renderExchange, renderExchangeList } from "./exchange-view.ts";
import { readableWords } from "./readable-exchange.ts";
import { getRun } from "./run-rows.ts";

const list = defineOperation({
  name: "exchange.list",
  summary: "Lists what a run sent to models: outcome, tokens, cost, time; not the words.",
  effect: "reads",
  permission: "read",
  input: z.object({
    runId: idField("run"),
    step: z.string().max(200).optional().describe("Only of this step."),
    order: orderField.default("oldest"),
    ...pageFields,
  }),
  output: exchangeList,
  surfaces: {
    cli: { positionals: ["runId"], render: rendering(exchangeList, renderExchangeList) },
    mcp: "full",
  },
  run: ({ kernel, caller }, { runId, step, order, limit, cursor }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("run", runId, caller);
      const rows = yield* listExchanges(id, { step, order, limit, after: cursor });
      const items = rows.slice(0, limit);
      return {
        items,
        nextCursor: rows.length > limit ? items.at(-1)?.id : undefined,
        asOf: kernel.clock.now(),
      };
    }),
});

const show = defineOperation({
  name: "exchange.show",
  summary:
    "Shows an exchange: the prompt as sent with its trace, the raw reply, the reading with every repair, the cost.",
  effect: "reads",
  permission: "answer",
  projectScope: { exchangeId: "exchange" },
  input: z.object({ exchangeId: idField("exchange") }),
  output: exchangeDetail,
  surfaces: {
    cli: {
      positionals: ["exchangeId"],
      examples: ["exchange show 0199a1b2-c3d4"],
      render: rendering(exchangeDetail, renderExchange),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { exchangeId }) =>
    kernel.store.read(function* () {
      const id = yield* resolveId("exchange", exchangeId, caller);
      const exchange = yield* getExchange(id);
      const { projectId } = yield* getRun(exchange.runId, caller);
      const { promptHash, replyHash, finish, rawFinish, isPruned, ...text } =
        yield* getExchangeText(id);
      const { words, isMasked } = yield* readableWords(text, projectId);
      return {
        exchange,
        projectId,
        ...words,
        promptHash,
        replyHash,
        finish,
        rawFinish,
        isPruned,
        isMasked,
        asOf: kernel.clock.now(),
      };
    }),
});

const earlier = defineOperation({
  name: "exchange.earlier",
  summary:
    "Lists what the step of an exchange was asked before: in its run, then in earlier runs of that title, newest first.",
  effect: "reads",
  permission: "read",
  projectScope: { exchangeId: "exchange" },
  input: z.object({
    exchangeId: idField("exchange"),
    otherItems: z
      .boolean()
      .default(false)
      .describe("Also what was asked for other items of a loop in its run."),
    ...pageFields,
  }),
  output: exchangeList,
  surfaces: {
    cli: {
      positionals: ["exchangeId"],
      examples: ["exchange earlier 0199a1b2-c3d4"],
      render: rendering(exchangeList, renderEarlierExchanges),
    },
    mcp: "full",
  },
  run: ({ kernel, caller }, { exchangeId, otherItems, limit, cursor }) =>
    kernel.store.read(function* () {
      const exchange = yield* getExchange(yield* resolveId("exchange", exchangeId, caller));
      yield* getRun(exchange.runId, caller);
      const asked = { otherItems, limit, after: cursor };
      const rows = yield* listEarlierExchanges(exchange, caller, asked);
      const items = rows.slice(0, limit);
      return {
        items,
        nextCursor: rows.length > limit ? items.at(-1)?.id : undefined,
        asOf: kernel.clock.now(),
      };
    }),
});

export const exchangeOperations: readonly Operation[] = [list, show, diff, earlier];
