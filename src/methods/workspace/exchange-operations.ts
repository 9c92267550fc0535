/** Exchanges: every prompt as it was sent, the raw reply, and what reading made of it. */

import { z } from "zod";
import type { Json } from "../../kernel/base/json.ts";
import { defineOperation, type Operation } from "../../kernel/operation/operation.ts";
import { idField, orderField, pageFields } from "../../kernel/operation/operation-fields.ts";
import { withoutRedactedPassages } from "../../kernel/operation/redacted-view.ts";
import { rendering } from "../../kernel/operation/rendering.ts";
import type { PromptTrace } from "../../kernel/prompt/prompt-trace.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { REDACTION_MARK } from "../../kernel/store/redacted-text.ts";
import { loadRedactionScope } from "../../kernel/store/redaction-scope.ts";
import { resolveId } from "../../kernel/store/resolve-id.ts";
import { findHidden, type NamedSource } from "../../kernel/store/withheld-sources.ts";
import { type ExchangeText, getExchange, getExchangeText, listExchanges } from "./exchange-rows.ts";
import { exchangeDetail, exchangeList } from "./exchange-shape.ts";
import { renderExchange, renderExchangeList } from "./exchange-view.ts";
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
      const { promptHash, replyHash, finish, rawFinish, isPruned, ...words } =
        yield* getExchangeText(id);
      const readable = yield* readableText(words, projectId);
      return {
        exchange,
        projectId,
        ...readable,
        promptHash,
        replyHash,
        finish,
        rawFinish,
        isPruned,
        isMasked: JSON.stringify(readable) !== JSON.stringify(words),
        asOf: kernel.clock.now(),
      };
    }),
});

type Words = Pick<ExchangeText, "messages" | "trace" | "reply" | "reading">;

/** Of a prompt that shows something hidden by now nothing is told, nor of what a model made of it. */
function* readableText(words: Words, projectId: string | undefined): DatabaseWork<Words> {
  const scope = yield* loadRedactionScope(projectId === undefined ? undefined : [projectId]);
  const hidden = yield* findHidden(namedIn(words.trace), scope);
  if (hidden.size === 0) return yield* withoutRedactedPassages(words, projectId);
  return {
    messages: words.messages.map(({ role }) => ({ role, text: REDACTION_MARK })),
    trace: undefined,
    reply: words.reply === undefined ? undefined : REDACTION_MARK,
    reading: undefined,
  };
}

/** What the prompt shows, and what was left out of it and is called by its title all the same. */
function namedIn(trace: Json | undefined): readonly NamedSource[] {
  const { refs = [], ledger = [] } = (trace ?? {}) as Partial<PromptTrace>;
  return [...refs, ...ledger].flatMap(({ ref }) => ref ?? []);
}

export const exchangeOperations: readonly Operation[] = [list, show];
