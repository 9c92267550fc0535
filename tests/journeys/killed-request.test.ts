/** A request with a key, sent again to the server that came after the one that was killed. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Server, scratchFolder } from "../scratch/program.ts";

test("kill -9 while a question is being answered: asked again under its key, it leads to the same run at once", async (t) => {
  const home = scratchFolder();
  t.after(() => home.remove());
  mkdirSync(path.join(home.folder, ".throughline"), { mode: 0o700 });
  const providers = { slow: { kind: "rehearsal", latencyMs: 3000 } };
  writeFileSync(path.join(home.folder, ".throughline/config.json"), JSON.stringify({ providers }));
  const ask = (server: Server) =>
    post(server, "ask/answer", { request: "What next?", model: "slow/rehearsal" }, "ask-1");
  const runs = async (server: Server) =>
    ((await post(server, "run/list", {})) as { items: { id: string; state: string }[] }).items;

  const first = await home.serve();
  const broken = ask(first).catch(() => "broken");
  while ((await runs(first)).length === 0) await sleep(20);
  await first.kill();
  assert.equal(await broken, "broken");
  const second = await home.serve();
  const again = (await ask(second)) as { runId: string; state: string };

  assert.equal(again.state, "queued");
  while ((await runs(second))[0]?.state !== "completed") await sleep(50);
  assert.deepEqual(
    (await runs(second)).map(({ id }) => id),
    [again.runId],
  );
  assert.deepEqual(await ask(second), again);
});

async function post(
  { url, token }: Server,
  route: string,
  body: object,
  key?: string,
): Promise<unknown> {
  const response = await fetch(`${url}/api/v1/${route}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}
