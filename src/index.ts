/** The library's public names. Everything else may change without notice. */

export {
  type Calls,
  type Method,
  type OpenOptions,
  type OpenWorkspace,
  openWorkspace,
} from "./app/embed.ts";
export type { Operations } from "./app/operation-types.ts";
export { ProductError } from "./kernel/base/errors.ts";
export type { Json } from "./kernel/base/json.ts";
export { type Contract, defineContract } from "./kernel/contract/contract.ts";
export type { ModelDelta, ModelProvider, ModelRequest } from "./kernel/model/model-provider.ts";
export { createRehearsalModel } from "./kernel/model/rehearsal-model.ts";
export type { Caller } from "./kernel/operation/caller.ts";
export type { Kernel } from "./kernel/operation/kernel.ts";
export { defineOperation, type Operation } from "./kernel/operation/operation.ts";
export { compilePrompt } from "./kernel/prompt/compile-prompt.ts";
export type { Layout, Part } from "./kernel/prompt/part.ts";
export type { Decision } from "./kernel/run/decision.ts";
export type { EffectKind, MoveHandler, TurnHandler } from "./kernel/run/handler.ts";
export { startRun } from "./kernel/run/start-run.ts";
export { turnPromptOf } from "./kernel/run/turn-prompt.ts";
export type { DatabaseWork } from "./kernel/store/database-work.ts";
