/** What operations are given to work with: the open workspace. */

import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/ids.ts";
import type { Library } from "../library/library.ts";
import type { EngineTools } from "../run/engine-transaction.ts";
import type { ModelDirectory } from "../run/model-directory.ts";
import type { Store } from "../store/store.ts";
import type { ChangeFeed } from "./change-feed.ts";

export interface Kernel {
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Fresh unpredictable bytes, for secrets; a simulation passes a seeded source. */
  readonly random: (count: number) => Uint8Array;
  readonly store: Store;
  readonly library: Library;
  readonly models: ModelDirectory;
  /** What `startRun`, `answerWait` and the other work on runs needs; call `wake` after it is committed. */
  readonly engine: EngineTools;
  /** Tells followers of the event log that it grew. */
  readonly changes: ChangeFeed;
  /** The workspace's folder (`.throughline`): settings, secrets, backups. */
  readonly folder: string;
  /** Says that there is new work; cheap, may be called too often. */
  wake(): void;
}
