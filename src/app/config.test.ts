import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { runSql } from "../kernel/store/database-work.ts";
import { openPostgres } from "../kernel/store/postgres-store.ts";
import { sqlText } from "../kernel/store/sql-text.ts";
import { readConfig } from "./config.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-config-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function read(file: object, environment: Readonly<Record<string, string>> = {}) {
  writeFileSync(path.join(folder, "config.json"), JSON.stringify(file));
  return readConfig(folder, environment);
}

describe("settings that cannot be used", () => {
  test("are named one by one, with what was probably meant", () => {
    const file = {
      defaultModl: "x",
      port: "a",
      providers: { slow: { kind: "rehearsal", latencyMs: -1 } },
    };

    assert.throws(() => read(file), {
      code: "config_invalid",
      hint: 'port: must be a number; providers.slow.latencyMs: must be at least 0; defaultModl: there is no such field; did you mean "defaultModel"?',
    });
    assert.throws(() => read([]), { code: "config_invalid", hint: "Write them between { and }." });
  });
});

describe("how often the server may be asked", () => {
  test("is generous unless set, and the environment sets the rate over the file", () => {
    assert.deepEqual(read({}).rateLimit, { perSecond: 50, burst: 200 });
    assert.deepEqual(read({ rateLimit: { burst: 9 } }).rateLimit, { perSecond: 50, burst: 9 });
    assert.deepEqual(
      read({ rateLimit: { perSecond: 5, burst: 9 } }, { THROUGHLINE_RATE_LIMIT: "0" }).rateLimit,
      { perSecond: 0, burst: 9 },
    );
  });

  test("what is no rate is refused, saying where", () => {
    for (const rateLimit of [{ perSecond: -1 }, { burst: 0 }, { each: 5 }, 50]) {
      assert.throws(() => read({ rateLimit }), { code: "config_invalid", hint: /rateLimit/ });
    }
    assert.throws(() => read({}, { THROUGHLINE_RATE_LIMIT: "many" }), { code: "config_invalid" });
  });
});

describe("the address of the database", () => {
  const database = (address: string) => read({ database: address }).database;

  test("beyond this machine asks for TLS with a checked certificate, whatever less was written", () => {
    const secure = "postgres://t:x@db.internal:5432/t?sslmode=verify-full";
    assert.equal(database("postgres://t:x@db.internal:5432/t"), secure);
    for (const mode of ["allow", "prefer", "require", "verify-ca", "verify-full"])
      assert.equal(database(`postgres://t:x@db.internal:5432/t?sslmode=${mode}`), secure);
    assert.equal(
      database("postgres://t@db.internal/t?sslrootcert=/etc/ca.pem"),
      "postgres://t@db.internal/t?sslrootcert=%2Fetc%2Fca.pem&sslmode=verify-full",
    );
    assert.throws(() => database("postgres://t@db.internal/t?sslmode=no-verify"), {
      code: "database_unverified",
    });
  });

  test("on this machine, or said to be in the clear, stays as it is", () => {
    for (const address of [
      "postgres://t:x@127.0.0.1:5432/t",
      "postgres://localhost/t",
      "postgres://[::1]/t",
      "postgres:///t?host=/var/run/postgresql",
      "postgres://t@db.internal/t?sslmode=disable",
    ])
      assert.equal(database(address), address);
    assert.equal(read({}).database, undefined);
  });

  test("a server that answers without TLS is told nothing more than that TLS is wanted", async (t) => {
    const heard: Buffer[] = [];
    const server = createServer((socket) => {
      socket.on("data", (bytes) => {
        heard.push(bytes);
        socket.write("N");
      });
      socket.on("error", () => undefined);
    }).listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const address = new URL(database("postgres://t:hidden-word@db.internal/t") ?? "");
    address.host = `127.0.0.1:${port}`;
    const store = openPostgres({ connectionString: address.href });
    t.after(() => store.close());

    await assert.rejects(store.read(() => runSql(sqlText("select 1 as one"), [])));

    const wantsTls = Buffer.from([0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]);
    assert.deepEqual(heard.at(0), wantsTls);
    assert.ok(!Buffer.concat(heard).includes("hidden-word"));
    assert.equal(Buffer.concat(heard).length % wantsTls.length, 0);
  });
});
