/**
 * Asks for every operation that writes, on a disk that refuses its first, its second, its third … write, until it is
 * done in spite of it. Started with the disk of `disk-fault.ts`; prints what broke and how much was tried, as JSON.
 * `node disk-fault-worker.ts SPACING`.
 */

import { inspect, isDeepStrictEqual } from "node:util";
import { ProductError } from "../../src/kernel/base/errors.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import { ADMIN, furnish, inputOf, openEverything, WAITING } from "../proof/every-operation.ts";
import { DISK_ERRORS, type DiskError, openDiskControl } from "./disk-fault.ts";
import { rowsOf } from "./engine-audit.ts";

export interface DiskTrials {
  readonly operations: number;
  readonly trials: number;
  readonly refusals: number;
  readonly codes: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

/** They end the trial itself, or do what they do in threads and files of their own. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...WAITING,
  "user.archive",
  "user.delete",
  "workspace.clear-sample",
]);
/** What they have kept they go on from: that is no half. */
const RESUMABLE: ReadonlySet<string> = new Set(["import.start", "import.resume"]);
const MOST_WRITES = 400;
const SLOWEST_MS = 15_000;

const spacing = Number(process.argv[2] ?? 1);
const control = openDiskControl();
const everything = await openEverything();
const { kernel, registry } = everything;
const furniture = await furnish(everything, ADMIN, "private");
const tables = (
  await rowsOf<{ name: string }>(
    kernel.store,
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'search%' order by name",
  )
).map(({ name }) => name);

const broken: string[] = [];
const codes: Record<string, number> = {};
let operations = 0;
let trials = 0;
let refusals = 0;
let turn = 0;
for (const operation of registry.operations) {
  if (operation.effect === "reads" || LEFT_OUT.has(operation.name)) continue;
  if (turn++ % spacing !== 0) continue;
  operations += 1;
  for (const error of Object.keys(DISK_ERRORS) as DiskError[])
    await tryEvery(operation.name, error);
}
const [check] = await rowsOf<{ integrity_check: string }>(kernel.store, "pragma integrity_check");
if (check?.integrity_check !== "ok") broken.push(`integrity: ${check?.integrity_check}`);
const told: DiskTrials = { operations, trials, refusals, codes, broken };
await kernel.remove();
process.stdout.write(JSON.stringify(told));
process.exit(0);

async function tryEvery(name: string, error: DiskError): Promise<void> {
  const operation = registry.get(name);
  for (let nth = 1; nth <= MOST_WRITES; nth += 1) {
    const input = inputOf(operation, furniture, `${error} ${nth}`);
    const before = await everyRow();
    control.refuse(nth, error, 1);
    const signal = AbortSignal.timeout(SLOWEST_MS);
    const outcome = await invoke(kernel, registry, name, ADMIN, input, { signal }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const failed = control.failed();
    control.heal();
    trials += 1;
    const what = `${name}, write ${nth}, ${error}`;
    if (failed > 0) {
      refusals += 1;
      if (outcome !== undefined) {
        const code = outcome instanceof ProductError ? outcome.code : "none";
        codes[code] = (codes[code] ?? 0) + 1;
        if (!(outcome instanceof ProductError) || outcome.kind === "internal")
          broken.push(`${what}: ${inspect(outcome)}`);
        if (!RESUMABLE.has(name) && !isDeepStrictEqual(await everyRow(), before))
          broken.push(`${what}: half of it is there`);
      }
    }
    // Done, or refused for another reason before the disk was asked: there is no further write to fail.
    if (failed === 0) return;
  }
  broken.push(`${name}: more than ${MOST_WRITES} writes`);
}

async function everyRow(): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for (const table of tables) rows.push(await rowsOf(kernel.store, `select * from "${table}"`));
  return rows;
}
