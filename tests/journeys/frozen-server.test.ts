/** A server that stands still keeps its workspace: nobody joins it, and it goes on where it was. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { runSql } from "../../src/kernel/store/database-work.ts";
import { sqlText } from "../../src/kernel/store/sql-text.ts";
import { openSqlite } from "../../src/kernel/store/sqlite-store.ts";
import { type Server, scratchFolder, strainNow } from "../scratch/program.ts";

/** Longer than a lease. */
const FROZEN_MS = 11_000;
const QUESTIONS = 6;

test("frozen past its leases: a second start is refused at once, by name; continued, it ends every run once", async (t) => {
  const home = scratchFolder();
  const folder = path.join(home.folder, ".throughline");
  mkdirSync(folder, { mode: 0o700 });
  const providers = { slow: { kind: "rehearsal", latencyMs: 1500 } };
  writeFileSync(path.join(folder, "config.json"), JSON.stringify({ providers }));
  const server = await home.serve();
  t.after(async () => {
    process.kill(server.processId, "SIGCONT");
    await home.remove();
  });
  for (let n = 0; n < QUESTIONS; n += 1) {
    await post(server, "ask/start", { request: `Question ${n}`, model: "slow/rehearsal" });
  }
  const store = openSqlite({ path: path.join(folder, "workspace.db") });
  t.after(() => store.close());
  const count = async (sql: string) =>
    (await store.read(() => runSql<{ n: number }>(sqlText(sql), [])))[0]?.n ?? 0;
  while ((await count("select count(*) as n from job where state = 'leased'")) === 0) {
    await sleep(20);
  }

  process.kill(server.processId, "SIGSTOP");
  const frozenAt = performance.now();
  const refusals = [await home.run(["start"]), await home.run(["serve"])];
  const tookMs = performance.now() - frozenAt;
  const strain = await strainNow(home);
  const expired = sqlText(
    `select count(*) as n from job where state = 'leased' and lease_until < ?`,
  );
  await sleep(Math.max(0, FROZEN_MS - (performance.now() - frozenAt)));
  const [late] = await store.read(() => runSql<{ n: number }>(expired, [Date.now()]));
  process.kill(server.processId, "SIGCONT");

  for (const { code, stderr } of refusals) {
    assert.equal(code, 4);
    assert.match(stderr, new RegExp(`Another process \\(${server.processId}\\) already runs`));
    assert.match(stderr, /workspace_in_use/);
  }
  assert.ok(tookMs < 8000 * strain, `refused after ${tookMs} ms, strain ${strain}`);
  assert.ok((late?.n ?? 0) > 0, "its leases had run out");
  while ((await count(COMPLETED)) < QUESTIONS) await sleep(50);
  assert.equal(
    await count("select count(*) as n from event where type = 'run.completed'"),
    QUESTIONS,
  );
  assert.equal(
    await count("select count(*) as n from answer where outcome = 'answered'"),
    QUESTIONS,
  );
  const added = await post(server, "task/add", { title: "After the frost" });
  assert.equal((added as { title: string }).title, "After the frost");
});

const COMPLETED = "select count(*) as n from run where state = 'completed'";

async function post({ url, token }: Server, route: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}/api/v1/${route}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}
