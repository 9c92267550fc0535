/**
 * The store for many machines: PostgreSQL through a pool.
 *
 * Work is retried when the database reports a serialisation failure or a deadlock. When the connection
 * breaks during COMMIT the outcome is unknown and said so; work that must not happen twice is keyed.
 */

import { createQueryId, PostgresQueryCompiler, type RootOperationNode } from "kysely";
import pg from "pg";
import { systemClock } from "../base/clock.ts";
import { ProductError } from "../base/errors.ts";
import { rowParameters } from "./column-arrays.ts";
import type {
  AppendStatement,
  DatabaseWork,
  OutsideStatement,
  Statement,
  StatementResult,
  TransactionSql,
} from "./database-work.ts";
import { type DatedEvent, writeAppended } from "./events.ts";
import type { Store } from "./store.ts";
import { isConflict, toStoreError } from "./store-errors.ts";

export interface PostgresOptions {
  readonly connectionString: string;
  /** Everything lives in this schema, so several workspaces can share a database. */
  readonly schema?: string;
  readonly poolSize?: number;
  /** A process that freezes inside a transaction keeps its locks no longer than this. */
  readonly frozenMs?: number;
}

export interface PostgresStore extends Store {
  readonly dialect: "postgres";
  readonly schema: string;
  /** Calls back on every notification of a channel until closed. Reconnects by itself. */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
  ): Promise<{ close(): Promise<void> }>;
}

export function openPostgres({
  connectionString,
  schema = "throughline",
  poolSize = 10,
  frozenMs = 15_000,
}: PostgresOptions): PostgresStore {
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema)) {
    throw new ProductError("store_schema_name", `"${schema}" cannot be a schema name.`, {
      hint: "Use lower-case letters, digits and underscores.",
    });
  }
  const pool = new pg.Pool({
    connectionString,
    max: poolSize,
    types: { getTypeParser },
    options: `-c search_path=${schema} -c idle_in_transaction_session_timeout=${frozenMs}`,
    application_name: "throughline",
    connectionTimeoutMillis: 10_000,
    pipeline: true,
  });
  // A connection that breaks is replaced by the pool, and whoever uses it is told by its statements failing;
  // without listeners, idle or in use, it would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const location = describeLocation(connectionString);
  const connections = new WeakMap<pg.PoolClient, StatementNames>();
  const whenFree = createGate(WRITES_AT_ONCE);

  const transact = async <Result>(
    begin: string,
    work: () => DatabaseWork<Result>,
  ): Promise<Result> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await transactOnce(pool, connections, begin, work);
      } catch (error) {
        if (!isConflict(error) || attempt === 12) throw toStoreError(error, location);
        // Whoever stood in the way needs a moment to get out of it; not all of them the same, or they meet again.
        const uneven = 0.5 + (systemClock.elapsed() % 1);
        await systemClock.sleep(2 ** Math.min(attempt, 9) * uneven);
      }
    }
  };

  return {
    dialect: "postgres",
    location,
    schema,
    read: (work) => transact("begin isolation level repeatable read read only", work),
    write: (work) => whenFree(() => transact("begin", work)),
    listen: (channel, onNotification) => listen(pool.options, channel, onNotification),
    close: () => pool.end(),
  };
}

/**
 * More writers only wait for each other's locks and for the same disk, and every connection has to be made, and has
 * all statements to prepare, before it does its first work: some ten milliseconds of the server's time.
 */
const WRITES_AT_ONCE = 4;

/** Lets so many go at once; the others wait in the order they came. */
function createGate(most: number): <Result>(go: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (go) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await go();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** Equal SQL text keeps its name on a connection, so the server plans it once. */
interface StatementNames {
  readonly names: Map<string, string>;
}

const NAMED_STATEMENTS = 300;

async function transactOnce<Result>(
  pool: pg.Pool,
  connections: WeakMap<pg.PoolClient, StatementNames>,
  begin: string,
  work: () => DatabaseWork<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const connection: Connection = {
    client,
    names: namesOf(connections, client).names,
    unwatched: [],
  };
  try {
    watch(connection, client.query(begin));
    const result = await runWork(connection, work());
    // After a failed statement the server answers COMMIT with a rollback, so both may be under way at once.
    const committed = commit(client);
    committed.catch(() => undefined);
    await Promise.all(connection.unwatched);
    await committed;
    return result;
  } catch (error) {
    await client.query("rollback").catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  try {
    await client.query("commit");
  } catch (cause) {
    if ((cause as { severity?: string }).severity !== undefined) throw cause;
    throw new ProductError(
      "store_outcome_unknown",
      "The connection broke while the database was committing; the change may or may not be there.",
      { kind: "unavailable", hint: "Look before you repeat it.", cause },
    );
  }
}

interface Connection {
  readonly client: pg.PoolClient;
  readonly names: Map<string, string>;
  /** Statements under way whose results nobody waits for until the commit. */
  readonly unwatched: Promise<unknown>[];
}

function watch({ unwatched }: Connection, statement: Promise<unknown>): void {
  statement.catch(() => undefined);
  unwatched.push(statement);
}

async function runWork<Result>(
  connection: Connection,
  work: DatabaseWork<Result>,
): Promise<Result> {
  const appended: DatedEvent[] = [];
  let step = work.next();
  while (!step.done) {
    if (step.value.kind === "append") {
      appended.push(...step.value.events);
      step = work.next(UNKNOWN);
    } else step = work.next(await perform(connection, step.value));
  }
  if (appended.length > 0) await runWork(connection, writeAppended(appended));
  return step.value;
}

const UNKNOWN: StatementResult = { rows: [], changes: 0 };

async function perform(
  connection: Connection,
  statement: Exclude<Statement, AppendStatement>,
): Promise<StatementResult> {
  switch (statement.kind) {
    case "sql":
      return runMaybeBlind(connection, statement, statement.sql.postgres, statement.parameters);
    case "rows":
      if (statement.rows.length === 0) return UNKNOWN;
      return runMaybeBlind(
        connection,
        statement,
        statement.sql.postgres,
        rowParameters(statement.sql, statement.rows),
      );
    case "built": {
      const node = statement.query.toOperationNode() as RootOperationNode;
      const compiled = new PostgresQueryCompiler().compileQuery(node, createQueryId());
      return run(connection, compiled.sql, compiled.parameters);
    }
    case "together": {
      const rows = await Promise.all(statement.statements.map((each) => perform(connection, each)));
      return { rows, changes: 0 };
    }
    case "outside":
      if (statement.isBlind) return sendOutside(connection, statement);
      return { rows: [await statement.perform(transactionOf(connection))], changes: 0 };
  }
}

function transactionOf(connection: Connection): TransactionSql {
  return {
    executeSql: async (text, values = []) => {
      const { rows } =
        values.length === 0 && text.includes(";")
          ? await connection.client.query(text)
          : await run(connection, text, values);
      return { rows: rows as Record<string, unknown>[] };
    },
  };
}

/** Waits until the one statement is on its way: what comes later, the commit above all, must not overtake it. */
async function sendOutside(
  connection: Connection,
  { perform: performOutside }: OutsideStatement,
): Promise<StatementResult> {
  const transaction = transactionOf(connection);
  const sent = Promise.withResolvers<boolean>();
  let isSent = false;
  const done = performOutside({
    executeSql: (text, values) => {
      if (isSent) throw new Error("A second statement was sent where one was promised.");
      isSent = true;
      sent.resolve(connection.names.has(text));
      return transaction.executeSql(text, values);
    },
  });
  watch(connection, done);
  const isPrepared = await Promise.race([sent.promise, done]);
  // As in `runMaybeBlind`: what is being prepared must not be overtaken by the next of its name.
  if (isPrepared !== true) await done;
  return UNKNOWN;
}

async function runMaybeBlind(
  connection: Connection,
  { isBlind }: { readonly isBlind?: boolean },
  text: string,
  parameters: readonly unknown[],
): Promise<StatementResult> {
  // A statement is prepared when it first runs; a second one of its name must not overtake that.
  const canBeBlind = isBlind && connection.names.has(text);
  const result = run(connection, text, parameters);
  if (!canBeBlind) return result;
  watch(connection, result);
  return UNKNOWN;
}

async function run(
  { client, names }: Connection,
  text: string,
  values: readonly unknown[],
): Promise<StatementResult> {
  let name = names.get(text);
  if (name === undefined && names.size < NAMED_STATEMENTS) {
    name = `s${names.size}`;
    names.set(text, name);
  }
  const result = await client.query({
    text,
    values: values as unknown[],
    ...(name ? { name } : {}),
  });
  return { rows: result.rows, changes: result.rowCount ?? 0 };
}

function namesOf(
  connections: WeakMap<pg.PoolClient, StatementNames>,
  client: pg.PoolClient,
): StatementNames {
  const known = connections.get(client);
  if (known) return known;
  const fresh = { names: new Map<string, string>() };
  connections.set(client, fresh);
  return fresh;
}

async function listen(
  options: pg.PoolConfig,
  channel: string,
  onNotification: (payload: string) => void,
): Promise<{ close(): Promise<void> }> {
  let isClosed = false;
  let current: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  const connect = async () => {
    const client = new pg.Client(options);
    current = client;
    client.on("notification", ({ payload }) => onNotification(payload ?? ""));
    client.on("error", () => reconnect());
    client.on("end", () => reconnect());
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    // Whatever was announced while nobody listened is found by looking.
    onNotification("");
  };
  const reconnect = () => {
    if (isClosed || retry !== undefined) return;
    retry = setTimeout(() => {
      retry = undefined;
      if (!isClosed) connect().catch(reconnect);
    }, 500);
  };
  await connect();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await current?.end().catch(() => undefined);
    },
  };
}

function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  const isWholeNumber = oid === 20;
  const isNumeric = oid === 1700;
  if ((isWholeNumber || isNumeric) && format !== "binary") return Number;
  return pg.types.getTypeParser(oid, format);
}

function describeLocation(connectionString: string): string {
  try {
    const url = new URL(connectionString);
    return `postgres://${url.host}${url.pathname}`;
  } catch {
    return "PostgreSQL";
  }
}
