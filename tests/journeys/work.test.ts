/** `work` as a command: several workers on one PostgreSQL, one killed, one stopped, one where there is none. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openWorkspace } from "../../src/app/open-workspace.ts";
import { callerOf } from "../../src/kernel/operation/authorisation-matrix.ts";
import { invoke } from "../../src/kernel/operation/invoke.ts";
import { createOperationRegistry } from "../../src/kernel/operation/operation-registry.ts";
import { executeSql, runSql } from "../../src/kernel/store/database-work.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { askOperations } from "../../src/methods/ask/ask-operations.ts";
import { findPostgres } from "../scratch/postgres-server.ts";
import { scratchFolder } from "../scratch/program.ts";

const MAIN = path.join(import.meta.dirname, "../../src/main.ts");
const LATENCY_MS = 700;

describe("work", () => {
  test("two workers share runs, one is killed and the other takes over, Ctrl+C gives back what is under way", async (t) => {
    const home = scratchFolder();
    const folder = path.join(home.folder, ".throughline");
    const schema = `w_${randomBytes(6).toString("hex")}`;
    mkdirSync(folder, { mode: 0o700 });
    const providers = { slow: { kind: "rehearsal", latencyMs: LATENCY_MS } };
    const config = { database: await findPostgres(), schema, providers };
    writeFileSync(path.join(folder, "config.json"), JSON.stringify(config));
    const workspace = await openWorkspace(folder);
    const { kernel } = workspace;
    const workers: ChildProcess[] = [];
    t.after(async () => {
      for (const { pid } of workers) if (pid !== undefined) end(-pid);
      for (const name of [schema, `${schema}_queue`]) {
        await kernel.store.write(() => executeSql(sqlText(`drop schema ${name} cascade`), []));
      }
      await workspace.close();
      await home.remove();
    });
    const registry = createOperationRegistry(askOperations);
    const ask = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const input = { request: `Question ${n}`, model: "slow/rehearsal" };
        await invoke(kernel, registry, "ask.start", callerOf("admin", false, undefined), input);
      }
    };
    const rows = <Row>(sql: string) => kernel.store.read(() => runSql<Row>(sqlText(sql), []));
    const count = async (sql: string) => (await rows<{ n: number }>(sql))[0]?.n ?? 0;
    const busy = async () =>
      (
        await rows<{ worker: string }>(
          "select distinct worker from job where state = 'leased' order by worker",
        )
      ).map(({ worker }) => worker);
    const work = async () => {
      const child = spawn(
        process.execPath,
        [MAIN, "-C", home.folder, "work", "--concurrency", "2"],
        { detached: true, stdio: ["ignore", "pipe", "inherit"] },
      );
      workers.push(child);
      await printed(child, "Working on");
      return child;
    };

    const first = await work();
    const second = await work();
    await ask(12);
    await until(async () => (await busy()).length === 2);
    const [victim = ""] = await busy();
    const [, victimId] = victim.split(":");
    process.kill(Number(victimId), "SIGKILL");
    await until(async () => (await count(COMPLETED)) === 12);

    assert.equal(await count("select count(*) as n from event where type = 'run.completed'"), 12);
    assert.ok((await count("select count(*) as n from event where type = 'job.taken_over'")) > 0);
    const killed = [first, second].find(({ exitCode }) => exitCode !== null);
    const survivor = killed === first ? second : first;
    assert.notEqual(killed?.exitCode, 0);

    await ask(2);
    await until(async () => (await busy()).length === 1);
    const gone = new Promise<number | null>((resolve) => survivor.once("exit", resolve));
    const said = printed(survivor, "goes back to the queue");
    process.kill(-Number(survivor.pid), "SIGINT");

    assert.equal(await gone, 0);
    await said;
    assert.deepEqual(await busy(), []);
    await work();
    await until(async () => (await count(COMPLETED)) === 14);
  });

  test("without PostgreSQL it says what to do instead, and so it does for a wrong flag", async (t) => {
    const home = scratchFolder();
    t.after(() => home.remove());
    await home.run(["init"]);

    const refused = await home.run(["work"]);
    const wrong = await home.run(["work", "--concurrency", "0"]);

    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /its server is its only worker.*work_needs_postgres.*`serve`/s);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /from 1 on, not "0".*flag_invalid/s);
  });
});

const COMPLETED = "select count(*) as n from run where state = 'completed'";

function printed(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(words)) resolve();
    });
    child.once("exit", (code) => {
      if (!text.includes(words)) reject(new Error(`It ended with ${code}: ${text}`));
    });
  });
}

async function until(isSo: () => Promise<boolean>, patienceMs = 120_000): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while (!(await isSo())) {
    assert.ok(performance.now() < giveUpAt, "it took too long");
    await sleep(30);
  }
}

/** The whole group: the program starts itself again with stricter settings. */
function end(group: number): void {
  try {
    process.kill(group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
