/** What a caller says when a session ends. */

import type { ReportKind } from "./session-tables.ts";

export interface FinishRequest {
  /** What was achieved, in one line. Needed once; a later try knows it. */
  readonly summary?: string | undefined;
  readonly answer?: string | undefined;
  readonly kind?: ReportKind | undefined;
  readonly title?: string | undefined;
  readonly subject?: string | undefined;
  readonly isNewSubject?: boolean | undefined;
  readonly isRelease?: boolean | undefined;
  /** What the settings say unless given. */
  readonly push?: boolean | undefined;
  readonly allowSecret?: string | undefined;
}
