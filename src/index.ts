/** The library's public names. Everything else may change without notice. */

export { openWorkspace, type Workspace } from "./app/open-workspace.ts";
export { ProductError } from "./kernel/base/errors.ts";
export { type Contract, defineContract } from "./kernel/contract/contract.ts";
export type { ModelProvider } from "./kernel/model/model-provider.ts";
export type { Caller } from "./kernel/operation/caller.ts";
export { invoke } from "./kernel/operation/invoke.ts";
export type { Kernel } from "./kernel/operation/kernel.ts";
export { defineOperation, type Operation } from "./kernel/operation/operation.ts";
export { compilePrompt } from "./kernel/prompt/compile-prompt.ts";
export type { Layout, Part } from "./kernel/prompt/part.ts";
export type { Decision } from "./kernel/run/decision.ts";
export type { MoveHandler, TurnHandler } from "./kernel/run/handler.ts";
export { startRun } from "./kernel/run/start-run.ts";
export type { DatabaseWork } from "./kernel/store/database-work.ts";
