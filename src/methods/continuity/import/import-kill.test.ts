import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchPostgres, scratchSqlite } from "../../../../tests/scratch/scratch-store.ts";
import { query } from "../../../kernel/store/database-work.ts";
import { examineStore } from "../../../kernel/store/doctor-store.ts";
import { engineTables } from "../../../kernel/store/engine-migration.ts";
import type { Finding } from "../../../kernel/store/finding.ts";
import { nounTables } from "../../../kernel/store/noun-migration.ts";
import { searchTables } from "../../../kernel/store/search-migration.ts";
import type { Store } from "../../../kernel/store/store.ts";
import { insertUser } from "../../../kernel/store/users.ts";
import { importTables } from "./import-migration.ts";
import { getImport } from "./import-rows.ts";
import { imports } from "./import-tables.ts";
import { insertImport } from "./import-work.ts";

const KILLS = Number(process.env["KILLS"] ?? 3);
const CONVERSATIONS = 600;
const MESSAGES = 8;
const MIGRATIONS = [engineTables, nounTables, searchTables, importTables];
const SCRIPT = path.join(import.meta.dirname, "../../../../tests/scratch/import-worker.ts");

describe("imports that are killed", () => {
  test(`embedded: kill -9 at ${KILLS} instants loses nothing and doubles nothing`, async (t) => {
    const { store, folder, remove } = await scratchSqlite(MIGRATIONS);
    t.after(remove);

    await killUntilDone(
      store,
      (importId, file) => ["sqlite", path.join(folder, "workspace.db"), importId, file],
      t,
    );
  });

  test(`PostgreSQL: kill -9 at ${KILLS} instants loses nothing and doubles nothing`, async (t) => {
    const { store, url, remove } = await scratchPostgres(MIGRATIONS);
    t.after(remove);

    await killUntilDone(
      store,
      (importId, file) => ["postgres", url, store.schema, importId, file],
      t,
    );
  });
});

async function killUntilDone(
  store: Store,
  argumentsFor: (importId: string, file: string) => readonly string[],
  t: { after(work: () => void): void; diagnostic(text: string): void },
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-import-kill-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "conversations.json");
  writeFileSync(file, exported());
  const importId = "01990000-0000-7000-8000-000000000001";
  await store.write(function* () {
    yield* insertUser(
      { id: "ann", displayName: "Ann", role: "operator" },
      { actor: "test", now: 0 },
    );
    const made = {
      id: importId,
      worker: "none",
      name: "conversations.json",
      bytes: 1,
      branches: "visible" as const,
      projectId: undefined,
      uploadId: "none",
      startedBy: "ann",
    };
    yield* insertImport(made, 0);
  });

  let killed = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = start(argumentsFor(importId, file));
    await Promise.race([once(child.stdout ?? child, "data"), once(child, "exit")]);
    await sleep(40 + kill * 90);
    if (child.exitCode !== null) break;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    killed += 1;
  }
  const state = await store.read(() => getImport(importId, "everything", 0));
  if (state.state !== "completed") {
    const last = start(argumentsFor(importId, file));
    const [code] = (await once(last, "exit")) as [number];
    assert.equal(code, 0);
  }

  const { totals, state: end } = await store.read(() => getImport(importId, "everything", 0));
  assert.equal(end, "completed");
  assert.deepEqual(
    [totals.added, totals.extended, totals.messagesAdded],
    [CONVERSATIONS, 0, CONVERSATIONS * MESSAGES],
  );
  const rows = await store.read(() =>
    query(
      imports
        .selectFrom("message")
        .innerJoin("conversation", "conversation.id", "message.conversation_id")
        .select(["conversation.source_id as chat", "message.source_id as said"]),
    ),
  );
  assert.equal(rows.length, CONVERSATIONS * MESSAGES);
  assert.equal(new Set(rows.map(({ chat, said }) => `${chat} ${said}`)).size, rows.length);
  const findings: Finding[] = [];
  await examineStore(store, {
    migrations: MIGRATIONS,
    report: (finding) => findings.push(finding),
  });
  assert.deepEqual(findings, []);
  t.diagnostic(`${killed} kills`);
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [SCRIPT, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

function exported(): string {
  const words = "The tide comes in twice a day, and goes out as often. ".repeat(12);
  return JSON.stringify(
    Array.from({ length: CONVERSATIONS }, (_, n) => ({
      uuid: `c${n}`,
      name: `Conversation ${n}`,
      chat_messages: Array.from({ length: MESSAGES }, (_each, i) => ({
        uuid: `m${i}`,
        sender: i % 2 ? "assistant" : "human",
        text: `${n}.${i} ${words}`,
      })),
    })),
  );
}
