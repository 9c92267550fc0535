/**
 * What a method gives the engine: how to make a prompt, what reply to expect, what follows from it.
 * Handlers read through database work and return data; they never write, call or wait.
 */

import { ProductError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { Contract } from "../contract/contract.ts";
import type { Reading } from "../contract/reading.ts";
import type { ModelRequest } from "../model/model-provider.ts";
import type { DatabaseWork } from "../store/database-work.ts";
import type { Decision } from "./decision.ts";
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
  decide(job: JobView): DatabaseWork<Decision>;
}

export type Handler = TurnHandler | MoveHandler;

export interface TurnPlan {
  /** `provider/model`, as configured in the workspace. */
  readonly model: string;
  readonly prompt: TurnPrompt;
  readonly contract: Contract;
  readonly settings?: TurnSettings;
}

export interface TurnPrompt {
  readonly messages: readonly PromptMessage[];
  readonly hash: string;
  /** Ledger, source map, cuts: why the prompt says what it says. */
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
  readonly maxContinuations?: number;
  readonly maxAttempts?: number;
}

export interface TurnAnswer {
  readonly value: unknown;
  readonly exchangeId: string;
  readonly reading: Reading<unknown>;
  readonly text: string;
}

export interface TurnFailure {
  readonly reason: Reason;
  readonly exchangeId: string | undefined;
  /** Everything received, also when it could not be read. */
  readonly text: string;
}

/** Applies one kind of effect. Runs in the settling transaction, once per effect key. */
export interface EffectKind {
  readonly kind: string;
  apply(effect: EffectToApply): DatabaseWork<void>;
}

export interface EffectToApply {
  readonly key: string;
  readonly data: Json;
  readonly job: JobView;
  readonly exchangeId: string | undefined;
  readonly now: number;
  readonly nextId: () => string;
}

export interface HandlerRegistry {
  /** Throws `handler_unknown`; `find` gives undefined instead. */
  handler(name: string): Handler;
  find(name: string): Handler | undefined;
  effect(kind: string): EffectKind;
}

export function createHandlerRegistry(
  handlers: readonly Handler[],
  effects: readonly EffectKind[],
): HandlerRegistry {
  const byName = uniqueBy(handlers, ({ name }) => name);
  const byKind = uniqueBy(effects, ({ kind }) => kind);
  return {
    handler: (name) => byName.get(name) ?? unknownName(name),
    find: (name) => byName.get(name),
    effect: (kind) => byKind.get(kind) ?? unknownName(kind),
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
