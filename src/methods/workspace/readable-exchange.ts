/** The words of an exchange for those who may see them, without what was redacted since. */

import type { Json } from "../../kernel/base/json.ts";
import { withoutRedactedPassages } from "../../kernel/operation/redacted-view.ts";
import type { PromptTrace } from "../../kernel/prompt/prompt-trace.ts";
import type { DatabaseWork } from "../../kernel/store/database-work.ts";
import { REDACTION_MARK } from "../../kernel/store/redacted-text.ts";
import { loadRedactionScope } from "../../kernel/store/redaction-scope.ts";
import { findHidden, type NamedSource } from "../../kernel/store/withheld-sources.ts";
import type { ExchangeText } from "./exchange-rows.ts";

export type ExchangeWords = Pick<ExchangeText, "messages" | "trace" | "reply" | "reading">;

interface ReadableWords {
  readonly words: ExchangeWords;
  /** Something in them is not shown. */
  readonly isMasked: boolean;
}

export function* readableWords(
  { messages, trace, reply, reading }: ExchangeWords,
  projectId: string | undefined,
): DatabaseWork<ReadableWords> {
  const sent = { messages, trace, reply, reading };
  const words = yield* readableText(sent, projectId);
  return { words, isMasked: JSON.stringify(words) !== JSON.stringify(sent) };
}

/** Of a prompt that shows something hidden by now nothing is told, nor of what a model made of it. */
function* readableText(
  words: ExchangeWords,
  projectId: string | undefined,
): DatabaseWork<ExchangeWords> {
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
