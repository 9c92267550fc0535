/** What operations are given to work with: the open workspace. */

import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/ids.ts";
import type { Store } from "../store/store.ts";

export interface Kernel {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly store: Store;
  /** The workspace's folder (`.throughline`): settings, secrets, backups. */
  readonly folder: string;
  /** Says that there is new work; cheap, may be called too often. */
  wake(): void;
}
