/**
 * What a method gives the engine: how to make a prompt, what reply to expect, what follows from it.
 * Handlers read through database work and return data; they never write, call or wait.
 */

import { ProductError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { Contract } from "../contract/contract.ts";
import type { Reading } from "../contract/reading.ts";
import type { Asked, ReplyAssembly } from "../contract/reply-assembly.ts";
import type { ModelRequest } from "../model/model-provider.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import type { Decision, Effect } from "./decision.ts";
import type { Reason } from "./limits.ts";

export interface JobView {
  readonly id: string;
  readonly runId: string;
  readonly projectId: string | null;
  readonly method: string;
  readonly startedBy: string;
  readonly key: string;
  readonly step: string;
  readonly item: string | null;
  readonly input: Json;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly batchId: string | null;
  readonly now: number;
}

export interface TurnHandler {
  readonly kind: "turn";
  readonly name: string;
  /** The lane whose limits the call counts against; its model's lane unless given. */
  lane(input: Json): string;
  /** Runs inside the claiming transaction: keep it short. */
  compile(job: JobView): DatabaseWork<TurnPlan>;
  accept(job: JobView, answer: TurnAnswer): DatabaseWork<Decision>;
  /** What to do when no acceptable reply could be had. The job is held unless this decides otherwise. */
  giveUp?(job: JobView, failure: TurnFailure): DatabaseWork<Decision>;
}

export interface MoveHandler {
  readonly kind: "move";
  readonly name: string;
  /**
   * Decided after everything else of its run that the transaction settles, and one at a time, so that it sees what
   * they have written: two jobs that finish together are looked at together.
   */
  readonly goesLast?: boolean;
  decide(job: JobView): DatabaseWork<Decision>;
}

export type Handler = TurnHandler | MoveHandler;

export interface TurnPlan {
  /** `provider/model`, as configured in the workspace. */
  readonly model: string;
  readonly prompt: TurnPrompt;
  readonly contract: Contract;
  /** How replies of several calls become one; joined as text and read by the contract unless given. */
  readonly assembly?: ReplyAssembly;
  readonly settings?: TurnSettings;
  /** What being taken up changes, applied with the claim: such as that somebody is working on it now. */
  readonly effects?: readonly Effect[];
}

export interface TurnPrompt {
  readonly messages: readonly PromptMessage[];
  readonly hash: string;
  /** Ledger, source map, cuts: why the prompt says what it says. Readers see it unpacked (`prompt-trace.ts`). */
  readonly trace: Json;
}

export interface PromptMessage {
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
  /** True where many prompts begin with the same text: it is stored once. */
  readonly isShared?: boolean;
}

export interface TurnSettings
  extends Pick<ModelRequest, "maxOutputTokens" | "temperature" | "reasoning"> {
  /** Time for one call; a call that takes longer is given up and tried again as one that failed. */
  readonly timeoutMs?: number;
  readonly maxContinuations?: number;
  /** How often a reply that breaks its contract is asked for again. Once unless given. */
  readonly maxCorrections?: number;
  readonly maxAttempts?: number;
}

export interface TurnAnswer {
  readonly value: unknown;
  readonly exchangeId: string;
  readonly reading: Reading<unknown>;
  readonly text: string;
  /** What each call of the turn brought, in order; none where a kept reply is decided on again. */
  readonly calls: readonly TurnCall[];
}

export interface TurnCall {
  /** Undefined for text that an earlier try had received. */
  readonly exchangeId: string | undefined;
  readonly asked: Asked | "first";
  readonly text: string;
}

export interface TurnFailure {
  readonly reason: Reason;
  readonly exchangeId: string | undefined;
  /** Everything received, also when it could not be read. */
  readonly text: string;
  readonly calls: readonly TurnCall[];
}

/** Applies one kind of effect. Runs in the settling transaction, once per effect key. */
export interface EffectKind {
  readonly kind: string;
  apply(effect: EffectToApply): DatabaseWork<void>;
  /** Several that follow one another, in their order. Where there is none, each is applied by itself. */
  applyAll?(effects: readonly EffectToApply[]): DatabaseWork<void>;
}

export interface EffectToApply {
  readonly key: string;
  readonly data: Json;
  readonly job: JobView;
  readonly exchangeId: string | undefined;
  readonly now: number;
  readonly nextId: () => string;
}

/** What a method does when one of its runs has ended, by itself or by somebody's hand; in the ending transaction. */
export interface RunEnding {
  readonly method: string;
  apply(run: EndedRun): DatabaseWork<void>;
}

export interface EndedRun {
  readonly id: string;
  readonly state: "completed" | "failed" | "cancelled";
  readonly now: number;
}

export interface HandlerRegistry {
  /** Throws `handler_unknown`; `find` gives undefined instead. */
  handler(name: string): Handler;
  find(name: string): Handler | undefined;
  effect(kind: string): EffectKind;
  ending(method: string): RunEnding | undefined;
}

export function createHandlerRegistry(
  handlers: readonly Handler[],
  effects: readonly EffectKind[],
  endings: readonly RunEnding[] = [],
): HandlerRegistry {
  const byName = uniqueBy(handlers, ({ name }) => name);
  const byKind = uniqueBy(effects, ({ kind }) => kind);
  const byMethod = uniqueBy(endings, ({ method }) => method);
  return {
    handler: (name) => byName.get(name) ?? unknownName(name),
    find: (name) => byName.get(name),
    effect: (kind) => byKind.get(kind) ?? unknownName(kind),
    ending: (method) => byMethod.get(method),
  };
}

function unknownName(name: string): never {
  throw new ProductError("handler_unknown", `Nothing here can perform "${name}".`, {
    kind: "internal",
    hint: "The run was made by a version or an extension that is not installed here.",
  });
}

function uniqueBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item> {
  const map = new Map<string, Item>();
  for (const item of items) {
    if (map.has(key(item))) throw new Error(`"${key(item)}" is registered twice.`);
    map.set(key(item), item);
  }
  return map;
}
