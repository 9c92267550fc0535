/** What `doctor` finds: what is wrong, where, and what to do about it. */

export interface Finding {
  /** Stable for ever. */
  readonly code: string;
  /**
   * `damage`: something that was written is lost or changed. `drift`: numbers or derived data that do not
   * fit the rest; what was written is whole.
   */
  readonly severity: "damage" | "drift";
  readonly place: string;
  readonly message: string;
  readonly hint: string;
}

export type Report = (finding: Finding) => void;

export const RESTORE_HINT =
  "Restore the last good backup, or set this one aside and keep the rest.";
