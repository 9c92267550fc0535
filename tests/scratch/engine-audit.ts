/**
 * What must hold in every store whose engines have stopped, whatever happened before: counters equal rows, chains
 * verify, texts match their hashes, nothing is under way and everything unfinished is visible to someone.
 */

import assert from "node:assert/strict";
import { hashText } from "../../src/kernel/base/hash.ts";
import { runSql } from "../../src/kernel/store/database-work.ts";
import type { RunState } from "../../src/kernel/store/engine-tables.ts";
import { CHAIN_START, eventHash } from "../../src/kernel/store/events.ts";
import { promptHash } from "../../src/kernel/store/exchange-hash.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import type { Store } from "../../src/kernel/store/store.ts";

/** Gives how many rows were looked at, so that a caller can see that there were any. */
export async function auditEngine(store: Store): Promise<{ readonly events: number }> {
  await auditRuns(store);
  await auditJobs(store);
  await auditExchanges(store);
  await auditLanes(store);
  return { events: await auditEvents(store) };
}

export async function rowsOf<Row>(
  store: Store,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return store.read(() => runSql<Row>(sqlText(text), parameters));
}

const COUNTS: Readonly<Record<string, string>> = {
  open_jobs:
    "select count(*) from job j where j.run_id = run.id and j.state in ('ready','parked','blocked','leased')",
  held_jobs: "select count(*) from job j where j.run_id = run.id and j.state = 'held'",
  open_waits: "select count(*) from wait w where w.run_id = run.id and w.state = 'open'",
  open_timers: "select count(*) from timer t where t.run_id = run.id and t.is_open = 1",
  open_runs:
    "select count(*) from run c where c.parent_run_id = run.id and c.state not in ('completed','failed','cancelled')",
  jobs: "select count(*) from job j where j.run_id = run.id",
  turns: "select count(*) from answer a where a.run_id = run.id",
  input_tokens: "select coalesce(sum(a.input_tokens), 0) from answer a where a.run_id = run.id",
  output_tokens: "select coalesce(sum(a.output_tokens), 0) from answer a where a.run_id = run.id",
  cost_micro_usd: "select coalesce(sum(a.cost_micro_usd), 0) from answer a where a.run_id = run.id",
  has_unknown_cost:
    "select case when exists (select 1 from answer a where a.run_id = run.id and a.cost_micro_usd is null) then 1 else 0 end",
};

export async function auditRuns(store: Store): Promise<void> {
  const columns = Object.entries(COUNTS).map(
    ([name, count]) => `${name}, (${count}) as counted_${name}`,
  );
  const runs = await rowsOf<Record<string, unknown> & { id: string; state: RunState }>(
    store,
    `select id, state, ${columns.join(", ")} from run`,
  );
  for (const run of runs) {
    for (const name of Object.keys(COUNTS)) {
      assert.equal(
        Number(run[name]),
        Number(run[`counted_${name}`]),
        `${name} of ${run.state} run ${run.id}`,
      );
    }
    auditMovable(run);
  }
}

/** Nothing is stuck: every open run has something that moves it, or somebody who can. */
function auditMovable(run: Record<string, unknown> & { id: string; state: RunState }): void {
  const count = (name: string) => Number(run[name]);
  const isMovable: Readonly<Record<RunState, boolean>> = {
    queued: count("open_jobs") > 0,
    running: count("open_jobs") > 0,
    waiting: count("open_waits") + count("open_timers") + count("open_runs") > 0,
    held: count("open_waits") > 0,
    paused: true,
    completed: count("open_jobs") + count("open_waits") + count("open_timers") === 0,
    failed: count("open_jobs") + count("open_waits") + count("open_timers") === 0,
    cancelled: count("open_jobs") + count("open_waits") + count("open_timers") === 0,
  };
  assert.ok(isMovable[run.state], `run ${run.id} is ${run.state}: ${JSON.stringify(run)}`);
}

async function auditJobs(store: Store): Promise<void> {
  const leased = await rowsOf(store, "select id from job where state = 'leased'");
  assert.deepEqual(leased, [], "no job is leased once its engine has stopped");
  const silent = await rowsOf(
    store,
    `select j.id from job j where j.state = 'held' and not exists
       (select 1 from wait w where w.job_id = j.id and w.kind = 'held_job' and w.state = 'open')`,
  );
  assert.deepEqual(silent, [], "every held job stands in the inbox");
  const doubled = await rowsOf(
    store,
    "select job_id from wait where kind = 'held_job' and state = 'open' group by job_id having count(*) > 1",
  );
  assert.deepEqual(doubled, [], "every held job stands there once");
  const unjoined = await rowsOf(
    store,
    "select id from batch where (is_open = 0) <> (finished_at is not null) or (is_open = 0 and remaining <> 0)",
  );
  assert.deepEqual(unjoined, [], "a batch is closed exactly when nothing of it remains");
}

async function auditExchanges(store: Store): Promise<void> {
  const open = await rowsOf(
    store,
    `select e.id, j.state from exchange e left join job j on j.id = e.job_id
     where not exists (select 1 from answer a where a.exchange_id = e.id)
       and (j.state is null or j.state not in ('ready','parked'))`,
  );
  assert.deepEqual(open, [], "every exchange has an answer, unless its job will be tried again");
  const leftOver = await rowsOf(
    store,
    "select d.id from delta d join answer a on a.exchange_id = d.exchange_id",
  );
  assert.deepEqual(leftOver, [], "no piece is kept of a reply that is kept whole");

  const texts = new Map(
    (await rowsOf<{ hash: string; body: string }>(store, "select hash, body from text")).map(
      ({ hash, body }) => [hash, body],
    ),
  );
  for (const [hash, body] of texts) assert.equal(hashText(body), hash, "a shared text");
  const isPruned = await wasPruned(store);
  const unpruned = (column: string, empty: string) => (isPruned ? ` where ${column} ${empty}` : "");
  const prompts = await rowsOf<{ id: string; messages: string; prompt_hash: string }>(
    store,
    `select id, messages, prompt_hash from exchange${unpruned("messages", "<> '[]'")}`,
  );
  for (const { id, messages, prompt_hash } of prompts) {
    const sent = (JSON.parse(messages) as StoredMessage[]).map(({ role, text, shared }) => ({
      role,
      text: text ?? texts.get(shared ?? "") ?? "",
    }));
    assert.equal(promptHash(sent), prompt_hash, `the prompt of exchange ${id}`);
  }
  const replies = await rowsOf<{ exchange_id: string; reply: string; reply_hash: string }>(
    store,
    `select exchange_id, reply, reply_hash from answer${unpruned("reply", "is not null")}`,
  );
  for (const { exchange_id, reply, reply_hash } of replies) {
    assert.equal(hashText(reply), reply_hash, `the reply of exchange ${exchange_id}`);
  }
}

/** Nothing is without its words unless somebody had them pruned, which the log tells. */
async function wasPruned(store: Store): Promise<boolean> {
  const text = "select id from event where type = 'store.pruned' limit 1";
  return (await rowsOf(store, text)).length > 0;
}

interface StoredMessage {
  readonly role: "system" | "user" | "assistant";
  readonly text?: string;
  readonly shared?: string;
}

async function auditLanes(store: Store): Promise<void> {
  const lanes = await rowsOf<{ name: string }>(
    store,
    "select name, running from lane where (max_running is not null or rate_per_minute is not null) and running <> 0",
  );
  assert.deepEqual(lanes, [], "nothing is counted as running in a lane where nothing runs");
}

interface EventRow {
  readonly stream: string;
  readonly seq: number;
  readonly type: string;
  readonly project_id: string | null;
  readonly actor: string;
  readonly data: string | null;
  readonly data_hash: string;
  readonly at: number;
  readonly previous_hash: string;
  readonly hash: string;
}

async function auditEvents(store: Store): Promise<number> {
  const isPruned = await wasPruned(store);
  const events = await rowsOf<EventRow>(store, "select * from event order by stream, seq");
  const heads = new Map<string, { readonly seq: number; readonly hash: string }>();
  for (const event of events) {
    const head = heads.get(event.stream) ?? { seq: 0, hash: CHAIN_START };
    assert.equal(event.seq, head.seq + 1, `events of ${event.stream} are numbered without gaps`);
    assert.equal(event.previous_hash, head.hash, `event ${event.seq} of ${event.stream}`);
    assert.ok(event.data !== null || isPruned, "no event is without its data");
    if (event.data !== null) assert.equal(event.data_hash, hashText(event.data));
    assert.equal(
      event.hash,
      eventHash({
        previousHash: event.previous_hash,
        stream: event.stream,
        seq: event.seq,
        type: event.type,
        projectId: event.project_id,
        actor: event.actor,
        dataHash: event.data_hash,
        at: event.at,
      }),
      `event ${event.seq} of ${event.stream} is what was written`,
    );
    heads.set(event.stream, { seq: event.seq, hash: event.hash });
  }
  return events.length;
}
