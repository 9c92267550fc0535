/** The models a workspace has, found by the name that plans use: `provider/model`. */

import type { ModelProvider, Usage } from "../model/model-provider.ts";

export interface ConfiguredModel {
  /** The provider's own name for it. */
  readonly name: string;
  readonly provider: ModelProvider;
  /** It changes files: it works in the folder of the run's project, and its turns are told to who watches files. */
  readonly worksOnFiles?: boolean;
  /** Micro-dollars; undefined when the price or the use is not known. */
  costOf(usage: Usage): number | undefined;
}

export interface ModelDescription {
  /** `provider/model`. */
  readonly name: string;
  readonly provider: string;
  /** False when a key or a program is missing; `note` says which. */
  readonly isUsable: boolean;
  readonly note: string;
  /** Dollars for a million tokens, where they are known. */
  readonly price?: { readonly input: number; readonly output: number; readonly asOf: string };
}

export interface ModelDirectory {
  /** Micro-dollars that a use of the model costs; undefined when its price is not known. */
  costOf(name: string, usage: Usage): number | undefined;
  list(): Promise<readonly ModelDescription[]>;
  /** What a plan gets that names none. */
  defaultModel(): Promise<string>;
  /** Throws `model_unknown` when the workspace has no such model. */
  find(name: string): Promise<ConfiguredModel>;
}
