import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { rowsOf } from "../../../tests/scratch/engine-audit.ts";
import { scratchPostgres } from "../../../tests/scratch/scratch-store.ts";
import { executeSql } from "../store/database-work.ts";
import { engineTables } from "../store/engine-migration.ts";
import { sqlText } from "../store/sql-text.ts";
import { appendDelta } from "./exchanges.ts";

test("a piece of a reply that comes while its job is being cancelled is not kept beside the answer", async (t) => {
  const { store, url, remove } = await scratchPostgres([engineTables]);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.after(async () => {
    await other.end();
    await remove();
  });
  await store.write(function* () {
    yield* executeSql(RUN, []);
    yield* executeSql(LEASED, []);
    yield* executeSql(EXCHANGE, []);
  });
  const piece = (body: string) => store.write(() => appendDelta("e", body, { id: "j", fence: 1 }));
  await piece("before");

  await other.query(`set search_path to ${store.schema}`);
  await other.query("begin");
  await other.query("update job set state = 'cancelled', worker = null, lease_until = null");
  await other.query("delete from delta");
  const late = piece("late");
  // Long enough to be written, if nothing kept it waiting; where it is not, nothing is shown.
  await sleep(300);
  await other.query("commit");
  await late;

  assert.deepEqual(await rowsOf(store, "select body from delta"), []);
});

const RUN = sqlText(
  "insert into run (id, method, title, state, input, limits, started_by, created_at) values ('r', 'trial', 'A trial', 'running', '{}', '{}', 'ann', 1)",
);
const LEASED = sqlText(
  `insert into job (id, run_id, key, kind, handler, step, input, state, lane, run_at, created_at, fence, worker, lease_until)
   values ('j', 'r', 'k', 'turn', 'h', 's', '{}', 'leased', 'l', 1, 1, 1, 'w', 2)`,
);
const EXCHANGE = sqlText(
  `insert into exchange (id, run_id, job_id, step, attempt, continuation, model, contract, messages, prompt_hash, created_at)
   values ('e', 'r', 'j', 's', 1, 0, 'm', 'c', '[]', 'h', 1)`,
);
