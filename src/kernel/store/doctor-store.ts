/**
 * Examines a whole store: the file, the event log, every row, text and counter. Reads one moment's state and
 * never writes; memory does not grow with the store.
 */

import { ProductError } from "../base/errors.ts";
import { checkCounts } from "./doctor-counts.ts";
import { checkEvents } from "./doctor-events.ts";
import { checkSqliteFile } from "./doctor-file.ts";
import { checkRows } from "./doctor-rows.ts";
import { checkTexts } from "./doctor-texts.ts";
import { type Finding, RESTORE_HINT, type Report } from "./finding.ts";
import type { Migration } from "./migrate.ts";
import { type Snapshot, withSnapshot, withSqliteSnapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";
import { toStoreError } from "./store-errors.ts";

export interface ExamineOptions {
  /** The tables the store should have; without them its shape is not compared. */
  readonly migrations?: readonly Migration[] | undefined;
  readonly report: Report;
  readonly onProgress?: ((stage: string) => void) | undefined;
}

export interface Examination {
  readonly damage: number;
  readonly drift: number;
}

export function examineStore(store: Store, options: ExamineOptions): Promise<Examination> {
  return examine(store.location, options, (read) => withSnapshot(store, read));
}

/** A file that no store has open, such as a damaged one or a backup. */
export function examineSqliteFile(path: string, options: ExamineOptions): Promise<Examination> {
  return examine(path, options, (read) => withSqliteSnapshot(path, read));
}

type Reading = (read: (snapshot: Snapshot) => Promise<void>) => Promise<void>;

async function examine(
  location: string,
  { migrations, report, onProgress }: ExamineOptions,
  reading: Reading,
): Promise<Examination> {
  const found = { damage: 0, drift: 0 };
  const note = (finding: Finding) => {
    found[finding.severity] += 1;
    report(finding);
  };
  try {
    await reading(async (snapshot) => {
      for (const [stage, check] of CHECKS) {
        onProgress?.(stage);
        await guarded(location, stage, note, () => check(snapshot, note, migrations));
      }
    });
  } catch (error) {
    note(unreadable(location, "opening the store", error));
  }
  return found;
}

type Check = (
  snapshot: Snapshot,
  report: Report,
  migrations: readonly Migration[] | undefined,
) => Promise<void>;

const CHECKS: readonly (readonly [string, Check])[] = [
  ["the file", checkSqliteFile],
  ["the event log", checkEvents],
  ["rows", checkRows],
  ["texts", checkTexts],
  ["counters and references", checkCounts],
];

/** One part that cannot be read must not hide what the others would say. */
async function guarded(
  location: string,
  stage: string,
  report: Report,
  check: () => Promise<void>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    report(unreadable(location, stage, error));
  }
}

/** Whatever goes wrong while reading is itself what is wrong with the store. */
function unreadable(location: string, stage: string, cause: unknown): Finding {
  const error = toStoreError(cause, location);
  return {
    code: error instanceof ProductError ? error.code : "store_unreadable",
    severity: "damage",
    place: `${location}: ${stage}`,
    message: error instanceof Error ? error.message : String(error),
    hint: RESTORE_HINT,
  };
}
