/**
 * A process that goes on with an import until it is done or killed.
 *
 *   node import-worker.ts sqlite FILE IMPORT UPLOAD
 *   node import-worker.ts postgres URL SCHEMA IMPORT UPLOAD
 */

import { systemClock } from "../../src/kernel/base/clock.ts";
import { createIdSource } from "../../src/kernel/base/ids.ts";
import { createChangeFeed } from "../../src/kernel/operation/change-feed.ts";
import type { Kernel } from "../../src/kernel/operation/kernel.ts";
import { execute } from "../../src/kernel/store/database-work.ts";
import { openPostgres } from "../../src/kernel/store/postgres-store.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import { imports } from "../../src/methods/continuity/import/import-tables.ts";
import { claimImport } from "../../src/methods/continuity/import/import-work.ts";
import { runImport } from "../../src/methods/continuity/import/run-import.ts";

const [, , dialect, place = "", ...rest] = process.argv;
const [schema = "", importId = "", upload = ""] = dialect === "postgres" ? rest : ["", ...rest];
const store =
  dialect === "postgres"
    ? openPostgres({ connectionString: place, schema })
    : openSqlite({ path: place });
const ids = createIdSource(systemClock);
const kernel = {
  store,
  ids,
  clock: systemClock,
  changes: createChangeFeed(store, systemClock),
} as unknown as Kernel;

const worker = { id: importId, worker: ids.next() };
// The one before was killed for certain: nobody has to wait until it has been silent for long enough.
const claimed = await store.write(function* () {
  yield* execute(imports.updateTable("import").set({ beat_at: 0 }).where("id", "=", importId));
  return yield* claimImport(worker, systemClock.now());
});
if (claimed === undefined) throw new Error("There is nothing to go on with.");
console.log("ready");
const { progress } = await runImport(kernel, worker, {
  place: upload,
  name: "conversations.json",
  bytes: claimed.bytes,
  branches: claimed.branches,
  projectId: claimed.project_id ?? undefined,
  caller: {
    userId: claimed.started_by,
    name: "",
    role: "operator",
    isAgent: false,
    scopes: undefined,
  },
  signal: new AbortController().signal,
  report: () => undefined,
});
console.log(JSON.stringify(progress));
await store.close();
