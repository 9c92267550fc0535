/**
 * A real PostgreSQL for tests: the one in DATABASE_URL, else the embedded one, started once and shared by
 * all test processes of this machine through a file with its address. It ends when the last process that
 * uses it is gone.
 */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const FOLDER = path.join(
  process.env["TEST_POSTGRES_PLACE"] ?? tmpdir(),
  `throughline-test-postgres-${process.getuid?.() ?? "user"}`,
);
const ADDRESS_FILE = path.join(FOLDER, "address.json");

/** The connection string of a server that answers. */
export async function findPostgres(): Promise<string> {
  const given = process.env["DATABASE_URL"];
  if (given) return given;
  mkdirSync(FOLDER, { recursive: true });
  for (let tries = 0; tries < 300; tries += 1) {
    const address = readAddress();
    if (address && (await answers(address))) return keepAlive(address);
    if (claimStart()) startServer();
    await sleep(200);
  }
  throw new Error(`The embedded PostgreSQL did not start; see ${path.join(FOLDER, "server.log")}.`);
}

function readAddress(): string | undefined {
  try {
    return (JSON.parse(readFileSync(ADDRESS_FILE, "utf8")) as { url: string }).url;
  } catch {
    return undefined;
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** One process starts the server; a claim older than 20 s is taken to be dead. */
function claimStart(): boolean {
  const claim = path.join(FOLDER, "starting");
  try {
    if (existsSync(claim) && Date.now() - Number(readFileSync(claim, "utf8")) > 20_000)
      rmSync(claim);
    writeFileSync(claim, String(Date.now()), { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

function startServer(): void {
  const keeper = path.join(import.meta.dirname, "postgres-keeper.ts");
  // PostgreSQL refuses to be root, and has to read what the keeper writes for it: whoever asks may have a folder that
  // is closed to others, or gone while the server still runs.
  spawn(process.execPath, [keeper, FOLDER], {
    env: { ...process.env, TMPDIR: FOLDER },
    detached: true,
    stdio: "ignore",
  }).unref();
}

/** The keeper stops the server when no file in `users` names a living process. */
function keepAlive(url: string): string {
  const users = path.join(FOLDER, "users");
  mkdirSync(users, { recursive: true });
  writeFileSync(path.join(users, String(process.pid)), "");
  return url;
}
