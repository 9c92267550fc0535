/**
 * Forgets the words of old work and keeps the record of it: what was sent and answered becomes a hash, what
 * an event told becomes a hash, and every chain still verifies. In small transactions, while work goes on.
 */

import type { Act } from "./audited-rows.ts";
import { type DatabaseWork, executeSql, runSql } from "./database-work.ts";
import { appendEvents, WORKSPACE_STREAM } from "./events.ts";
import { deleteIdempotentBefore } from "./idempotency.ts";
import { deleteExpiredLoginCodes } from "./login-codes.ts";
import { deleteEndedLogins } from "./logins.ts";
import type { Migration } from "./migrate.ts";
import { pruneMethodTexts } from "./prune-method-texts.ts";
import { pruneSharedTexts, type Swept } from "./prune-shared-texts.ts";
import { sqlOverRows, sqlText } from "./sql-text.ts";
import type { Store } from "./store.ts";

export interface PruneOptions {
  /** Epoch milliseconds: only what ended before. */
  readonly before: number;
  /** Outputs are what the work was for: by default only those that a newer one replaced lose their text. */
  readonly artifacts?: "none" | "superseded" | "all" | undefined;
  /** Methods name the words of their tables in the migrations that make them. */
  readonly migrations?: readonly Migration[] | undefined;
}

export interface Pruned {
  readonly events: number;
  readonly prompts: number;
  readonly replies: number;
  readonly jobs: number;
  /** Copies of what was answered, made when it was applied. */
  readonly effects: number;
  readonly deltas: number;
  readonly artifacts: number;
  readonly methodTexts: number;
  readonly sharedTexts: number;
  readonly bytes: number;
}

export async function pruneOlderThan(
  store: Store,
  { before, artifacts = "superseded", migrations = [] }: PruneOptions,
  act: Act,
): Promise<Pruned> {
  const sweeps = SWEEPS.filter(({ what }) => what !== "artifacts" || artifacts !== "none");
  const counts = new Map<string, Swept>();
  for (const sweep of sweeps) {
    const isAll = sweep.what === "artifacts" && artifacts === "all";
    counts.set(sweep.what, await sweepAll(store, sweep, before, isAll ? "all" : "some"));
  }
  const ofMethods = { migrations, before, outputs: artifacts };
  counts.set("methodTexts", await pruneMethodTexts(store, ofMethods));
  counts.set("sharedTexts", await pruneSharedTexts(store));
  const pruned = summarise(counts);
  await store.write(() => finish(pruned, before, act));
  return pruned;
}

interface Sweep {
  readonly what: Exclude<keyof Pruned, "methodTexts" | "sharedTexts" | "bytes">;
  /** `?1` the place to go on from, `?2` the date; gives the rows to forget with their keys and sizes. */
  readonly find: string;
  readonly forget: string;
}

const BATCH = 500;
const OLD_RUN =
  "select id from run where state in ('completed','failed','cancelled') and finished_at < ?";

/** Each is found in the order of its key, so that a batch goes on where the last one ended. */
const SWEEPS: readonly Sweep[] = [
  {
    what: "events",
    find: "select id, octet_length(data) as bytes from event where id > ? and at < ? and data is not null order by id",
    forget: "update event set data = null where id in (select id from {rows})",
  },
  {
    what: "prompts",
    find: `select id, octet_length(messages) + coalesce(octet_length(trace), 0) as bytes from exchange
      where id > ? and run_id in (${OLD_RUN}) and messages <> '[]' order by id`,
    forget: "update exchange set messages = '[]', trace = null where id in (select id from {rows})",
  },
  {
    what: "replies",
    find: `select exchange_id as id, octet_length(reply) + coalesce(octet_length(reading), 0) as bytes from answer
      where exchange_id > ? and run_id in (${OLD_RUN}) and reply is not null order by exchange_id`,
    forget:
      "update answer set reply = null, reading = null where exchange_id in (select id from {rows})",
  },
  {
    what: "jobs",
    find: `select id, octet_length(input) + coalesce(octet_length(progress), 0) as bytes from job
      where id > ? and run_id in (${OLD_RUN}) and (input <> 'null' or progress is not null) order by id`,
    forget: "update job set input = 'null', progress = null where id in (select id from {rows})",
  },
  {
    what: "effects",
    find: `select id, octet_length(data) as bytes from effect
      where id > ? and run_id in (${OLD_RUN}) and data <> 'null' order by id`,
    forget: "update effect set data = 'null' where id in (select id from {rows})",
  },
  {
    what: "deltas",
    find: `select d.id, octet_length(d.body) as bytes from delta d join exchange e on e.id = d.exchange_id
      where d.id > ? and e.run_id in (${OLD_RUN}) order by d.id`,
    forget: "delete from delta where id in (select id from {rows})",
  },
  {
    what: "artifacts",
    find: `select id, octet_length(body) as bytes from artifact
      where id > ? and created_at < ? and body is not null and (state = 'superseded' or {all}) order by id`,
    forget: "update artifact set body = null where id in (select id from {rows})",
  },
];

async function sweepAll(
  store: Store,
  { what, find, forget }: Sweep,
  before: number,
  which: "all" | "some",
): Promise<Swept> {
  const isNumbered = what === "events" || what === "effects" || what === "deltas";
  const finding = sqlText(
    `${find.replace("{all}", which === "all" ? "1 = 1" : "1 = 0")} limit ${BATCH}`,
  );
  const forgetting = sqlOverRows({ id: isNumbered ? "int" : "text" }, forget);
  let place: string | number = isNumbered ? 0 : "";
  let swept: Swept = { rows: 0, bytes: 0 };
  for (;;) {
    const from: string | number = place;
    const found = await store.write(() => forgetBatch(finding, forgetting, [from, before]));
    const last = found.at(-1);
    if (last === undefined) return swept;
    place = last.id;
    swept = {
      rows: swept.rows + found.length,
      bytes: swept.bytes + found.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }
}

interface FoundRow {
  readonly id: string | number;
  readonly bytes: number;
}

function* forgetBatch(
  finding: ReturnType<typeof sqlText>,
  forgetting: ReturnType<typeof sqlText>,
  parameters: readonly unknown[],
): DatabaseWork<readonly FoundRow[]> {
  const found = yield* runSql<FoundRow>(finding, parameters);
  if (found.length > 0) {
    yield* executeSql(forgetting, [JSON.stringify(found.map(({ id }) => ({ id })))]);
  }
  return found;
}

/** Bookkeeping that is over goes with it; that there was a pruning is itself told. */
function* finish(pruned: Pruned, before: number, { actor, now, because }: Act): DatabaseWork<void> {
  yield* deleteIdempotentBefore(before);
  yield* deleteExpiredLoginCodes(before);
  yield* deleteEndedLogins(before);
  const data = { before, ...pruned, ...(because === undefined ? {} : { because }) };
  const event = { stream: WORKSPACE_STREAM, type: "store.pruned", projectId: null, actor, data };
  yield* appendEvents([event], now);
}

function summarise(counts: ReadonlyMap<string, Swept>): Pruned {
  const rows = (what: keyof Pruned) => counts.get(what)?.rows ?? 0;
  return {
    events: rows("events"),
    prompts: rows("prompts"),
    replies: rows("replies"),
    jobs: rows("jobs"),
    effects: rows("effects"),
    deltas: rows("deltas"),
    artifacts: rows("artifacts"),
    methodTexts: rows("methodTexts"),
    sharedTexts: rows("sharedTexts"),
    bytes: counts.values().reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
