/**
 * One call of a model: the request, the text as it arrives, what it used. Whatever goes wrong on the way is part of
 * the result, so that no exchange stays without an answer.
 */

import type { Clock } from "../base/clock.ts";
import { jsonSchemaOf } from "../contract/shape.ts";
import { estimateTokens } from "../model/estimate-tokens.ts";
import { ModelError, type ModelFailure } from "../model/model-error.ts";
import type { ModelDelta, ModelFinish, ModelRequest, Usage } from "../model/model-provider.ts";
import { queryFirst } from "../store/database-work.ts";
import { db } from "../store/query-builder.ts";
import { storableText } from "../store/storable-text.ts";
import type { Store } from "../store/store.ts";
import type { Beats } from "./beats.ts";
import { outputRoom } from "./budgets.ts";
import type { TurnLease } from "./claim.ts";
import { appendDelta, type NewExchange } from "./exchanges.ts";
import type { ConfiguredModel, ModelDirectory } from "./model-directory.ts";

export interface CallTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly models: ModelDirectory;
  /** `BEAT_MS` apart. */
  readonly beats: Beats;
  /** Text as it arrives, for whoever watches. */
  onDelta?(lease: TurnLease, exchangeId: string, text: string): void;
  /** Trouble of those who watch or write down; the call goes on. */
  onTrouble(error: unknown): void;
}

export interface CallPlan {
  readonly exchange: NewExchange;
  /** The text that this call goes on from. */
  readonly soFar: string;
  readonly enlargements: number;
}

export interface Call {
  readonly text: string;
  readonly finish: ModelFinish | undefined;
  readonly error: ModelError | undefined;
  /** Something no provider should throw, or a model that is not there: no retry cures it. */
  readonly fault: unknown;
  readonly hasDeltas: boolean;
  readonly usage: Usage;
  readonly costMicroUsd: number | undefined;
  readonly isCostEstimated: boolean;
}

/** How long what arrived waits at most to be written down. */
export const BEAT_MS = 250;
const FLUSH_CHARACTERS = 4096;
const OVER = "The call is over.";
/** Timers that should run longer go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export async function callModel(
  tools: CallTools,
  lease: TurnLease,
  plan: CallPlan,
  signal: AbortSignal,
): Promise<Call> {
  const writer = openDeltaWriter(tools, lease, plan.exchange.id);
  let model: ConfiguredModel | undefined;
  let finish: ModelFinish | undefined;
  let error: ModelError | undefined;
  let fault: unknown;
  const { timeoutMs } = lease.plan.settings ?? {};
  const over = timeoutMs === undefined ? undefined : new AbortController();
  const isLate = over && lateAfter(tools.clock, timeoutMs ?? 0, over.signal);
  const limited = isLate === undefined ? signal : AbortSignal.any([signal, isLate]);
  try {
    model = await tools.models.find(lease.plan.model);
    const request = requestOf(lease, model, plan);
    const folder = model.worksOnFiles ? await findFolder(tools.store, lease) : undefined;
    const how = { signal: limited, ...(folder === undefined ? {} : { folder }) };
    finish = await listen(model.provider.call(request, how), writer);
    if (!finish) {
      error = new ModelError("cut", "The reply ended without saying that it was whole.");
    }
  } catch (thrown) {
    if (isLate?.aborted && !signal.aborted) {
      error = new ModelError("timeout", `The call took longer than ${timeoutMs} ms.`);
    } else if (thrown instanceof ModelError) error = thrown;
    else fault = thrown ?? new Error("The provider threw nothing.");
  } finally {
    // Without a reason of ours a whole error with its stack is made, for every call.
    over?.abort(OVER);
    writer.end();
  }
  await writer.rest();
  const text = storableText(writer.text());
  const { usage, isEstimated } = useOf(plan.exchange, text, { finish, error, fault });
  return {
    text,
    finish,
    error,
    fault,
    hasDeltas: writer.hasWritten(),
    usage,
    costMicroUsd: model?.costOf(usage) ?? (isFree(error, fault, text) ? 0 : undefined),
    isCostEstimated: isEstimated,
  };
}

/** Aborts after the time, unless all is over before. */
function lateAfter(clock: Clock, ms: number, over: AbortSignal): AbortSignal {
  const late = new AbortController();
  void clock.sleep(Math.min(ms, LONGEST_TIMER_MS), over).then(() => {
    if (!over.aborted) late.abort();
  });
  return late.signal;
}

async function findFolder(store: Store, { view }: TurnLease): Promise<string | undefined> {
  const { projectId } = view;
  if (projectId === null) return undefined;
  const project = await store.read(() =>
    queryFirst(db.selectFrom("project").select("repository").where("id", "=", projectId)),
  );
  return project?.repository ?? undefined;
}

async function listen(
  deltas: AsyncIterable<ModelDelta>,
  writer: DeltaWriter,
): Promise<ModelFinish | undefined> {
  for await (const delta of deltas) {
    if (delta.type === "finish") return delta;
    if (delta.type === "text") await writer.add(delta.text);
  }
  return undefined;
}

interface DeltaWriter {
  add(text: string): Promise<void>;
  /** What is not written down yet comes with the answer. */
  end(): void;
  /** Until what is being written down is there. */
  rest(): Promise<void>;
  text(): string;
  hasWritten(): boolean;
}

/**
 * Writes down what arrived, in beats: also what came before a pause, however long that lasts. A call that ends within
 * one beat never writes: its answer comes at once.
 */
function openDeltaWriter(tools: CallTools, lease: TurnLease, exchangeId: string): DeltaWriter {
  const { clock, store, beats } = tools;
  let text = "";
  let flushed = 0;
  let flushedAt = clock.elapsed();
  let hasWritten = false;
  let isWaiting = false;
  /** Whether the last piece is there is not known: what follows it would not fit to what is. */
  let isUncertain = false;
  let writing: Promise<void> | undefined;

  const tell = (piece: string) => {
    try {
      tools.onDelta?.(lease, exchangeId, piece);
    } catch (error) {
      tools.onTrouble(error);
    }
  };
  const write = async () => {
    const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
    if (end === flushed || isUncertain) return;
    const body = storableText(text.slice(flushed, end));
    flushedAt = clock.elapsed();
    hasWritten = true;
    try {
      await store.write(() => appendDelta(exchangeId, body, lease.row));
      flushed = end;
    } catch (error) {
      isUncertain = true;
      // Pieces only narrow what a crash loses; the reply itself does not depend on them.
      tools.onTrouble(error);
    }
  };
  const flush = () => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const onBeat = () => {
    isWaiting = false;
    void flush();
  };

  return {
    async add(piece) {
      text += piece;
      tell(piece);
      const waited = clock.elapsed() - flushedAt;
      const isDue = waited >= BEAT_MS || text.length - flushed >= FLUSH_CHARACTERS;
      if (isDue && waited >= BEAT_MS / 10) await flush();
      if (flushed === text.length || isWaiting || isUncertain) return;
      isWaiting = true;
      beats.add(onBeat);
    },
    end: () => beats.remove(onBeat),
    rest: async () => writing,
    text: () => text,
    hasWritten: () => hasWritten,
  };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function requestOf(lease: TurnLease, model: ConfiguredModel, plan: CallPlan): ModelRequest {
  const { row } = lease;
  const { contract, settings = {} } = lease.plan;
  const syntax = contract.syntaxes[0] ?? "json";
  return {
    model: model.name,
    messages: plan.exchange.messages,
    maxOutputTokens: outputRoom(lease.plan, plan.enlargements),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(plan.enlargements > 0
      ? { reasoning: "low" as const }
      : settings.reasoning === undefined
        ? {}
        : { reasoning: settings.reasoning }),
    outputSchema: jsonSchemaOf(contract),
    syntax:
      syntax === "json" ? { kind: "json" } : { kind: "sections", sections: contract.sections },
    labels: {
      run: row.run_id,
      step: row.step,
      ...(row.item === null ? {} : { item: row.item }),
      attempt: row.attempt,
      continuation: plan.exchange.continuation,
    },
    ...(plan.soFar === "" ? {} : { continuationOf: { text: plan.soFar } }),
  };
}

type Ending = Pick<Call, "finish" | "error" | "fault">;

/** What the provider did not count is estimated: a broken call with a money budget must not stop its run. */
function useOf(
  exchange: NewExchange,
  text: string,
  { finish, error, fault }: Ending,
): { readonly usage: Usage; readonly isEstimated: boolean } {
  const told = finish?.usage ?? {};
  if (isFree(error, fault, text)) {
    return { usage: { inputTokens: 0, outputTokens: 0 }, isEstimated: false };
  }
  if (told.inputTokens !== undefined && told.outputTokens !== undefined) {
    return { usage: told, isEstimated: false };
  }
  const inputTokens = exchange.messages.reduce((sum, each) => sum + estimateTokens(each.text), 0);
  return {
    usage: { inputTokens, outputTokens: estimateTokens(text), ...told },
    isEstimated: true,
  };
}

const REFUSED_UNSEEN: ReadonlySet<ModelFailure> = new Set<ModelFailure>([
  "rate_limited",
  "overloaded",
  "unavailable",
  "auth",
  "invalid_request",
  "too_large",
]);

/** Refused before the model saw anything, so nothing was used. */
function isFree(error: ModelError | undefined, fault: unknown, text: string): boolean {
  if (text !== "") return false;
  return fault !== undefined || (error !== undefined && REFUSED_UNSEEN.has(error.failure));
}
