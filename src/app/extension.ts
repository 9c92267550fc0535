/** What a program that embeds a workspace adds to it. */

import type { ModelProvider } from "../kernel/model/model-provider.ts";
import type { EffectKind, Handler } from "../kernel/run/handler.ts";

export interface Extension {
  /** By name: a model of one is called `name/model`. They go before configured ones of the same name. */
  readonly providers: Readonly<Record<string, ModelProvider>>;
  readonly handlers: readonly Handler[];
  readonly effects: readonly EffectKind[];
}

export const NO_EXTENSION: Extension = { providers: {}, handlers: [], effects: [] };
