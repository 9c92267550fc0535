/** The models a workspace has, found by the name that plans use: `provider/model`. */

import type { ModelProvider, Usage } from "../model/model-provider.ts";

export interface ConfiguredModel {
  /** The provider's own name for it. */
  readonly name: string;
  readonly provider: ModelProvider;
  /** Micro-dollars; undefined when the price or the use is not known. */
  costOf(usage: Usage): number | undefined;
}

export interface ModelDirectory {
  /** Throws `model_unknown` when the workspace has no such model. */
  find(name: string): Promise<ConfiguredModel>;
}
