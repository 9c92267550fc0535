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

/** What a run counts of itself, and the rows it is to be counted from: each table is gone through once. */
const COUNTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "job group by run_id": {
    open_jobs: "sum(case when state in ('ready','parked','blocked','leased') then 1 else 0 end)",
    held_jobs: "sum(case when state = 'held' then 1 else 0 end)",
    jobs: "count(*)",
  },
  "wait where state = 'open' group by run_id": { open_waits: "count(*)" },
  "timer where is_open = 1 group by run_id": { open_timers: "count(*)" },
  "run where state not in ('completed','failed','cancelled') group by parent_run_id": {
    open_runs: "count(*)",
  },
  "answer group by run_id": {
    turns: "count(*)",
    input_tokens: "coalesce(sum(input_tokens), 0)",
    output_tokens: "coalesce(sum(output_tokens), 0)",
    cost_micro_usd: "coalesce(sum(cost_micro_usd), 0)",
    has_unknown_cost: "max(case when cost_micro_usd is null then 1 else 0 end)",
  },
};
const COUNTS = Object.values(COUNTED).flatMap((counts) => Object.keys(counts));

export async function auditRuns(store: Store): Promise<void> {
  const stored = COUNTS.map((name) => `run.${name}, counted_${name}`).join(", ");
  const joins = Object.entries(COUNTED).map(([rows, counts], at) => {
    const owner = rows.endsWith("parent_run_id") ? "parent_run_id" : "run_id";
    const columns = Object.entries(counts).map(([name, count]) => `${count} as counted_${name}`);
    return `left join (select ${owner} as owner, ${columns.join(", ")} from ${rows}) c${at} on c${at}.owner = run.id`;
  });
  const runs = await rowsOf<Record<string, unknown> & { id: string; state: RunState }>(
    store,
    `select run.id, run.state, ${stored} from run ${joins.join(" ")}`,
  );
  for (const run of runs) {
    for (const name of COUNTS) {
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
  const prompts = pagesOf<{ id: string; messages: string; prompt_hash: string }>(
    store,
    `select id, messages, prompt_hash from exchange${unpruned("messages", "<> '[]'")}`,
    ["id"],
  );
  for await (const { id, messages, prompt_hash } of prompts) {
    const sent = (JSON.parse(messages) as StoredMessage[]).map(({ role, text, shared }) => ({
      role,
      text: text ?? texts.get(shared ?? "") ?? "",
    }));
    assert.equal(promptHash(sent), prompt_hash, `the prompt of exchange ${id}`);
  }
  const replies = pagesOf<{ exchange_id: string; reply: string; reply_hash: string }>(
    store,
    `select exchange_id, reply, reply_hash from answer${unpruned("reply", "is not null")}`,
    ["exchange_id"],
  );
  for await (const { exchange_id, reply, reply_hash } of replies) {
    assert.equal(hashText(reply), reply_hash, `the reply of exchange ${exchange_id}`);
  }
}

const PAGE_ROWS = 2000;

/** Row by row in order of a unique key, however many there are; they are never all in memory. */
async function* pagesOf<Row extends object>(
  store: Store,
  text: string,
  key: readonly string[],
): AsyncGenerator<Row> {
  const order = key.join(", ");
  let last: readonly unknown[] = [];
  for (;;) {
    const after = `${/ where /.test(text) ? "and" : "where"} (${order}) > (${key.map(() => "?").join(", ")})`;
    const rows: readonly Row[] = await rowsOf<Row>(
      store,
      `${text} ${last.length > 0 ? after : ""} order by ${order} limit ${PAGE_ROWS}`,
      last,
    );
    yield* rows;
    const end = rows.at(-1) as Record<string, unknown> | undefined;
    if (end === undefined || rows.length < PAGE_ROWS) return;
    last = key.map((name) => end[name]);
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
  const events = pagesOf<EventRow>(store, "select * from event", ["stream", "seq"]);
  let found = 0;
  const heads = new Map<string, { readonly seq: number; readonly hash: string }>();
  for await (const event of events) {
    found += 1;
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
  return found;
}
