/** The record of who came in and who was turned away, as somebody finds it who looks into an incident. */

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import type { SecurityEntry } from "../../src/surfaces/http/security-log.ts";
import { agentOverHttp } from "../scratch/mcp-client.ts";
import { type ScratchFolder, type Server, scratchFolder } from "../scratch/program.ts";

let home: ScratchFolder;
let server: Server;
before(async () => {
  home = scratchFolder();
  server = await home.serve();
});
after(async () => {
  await server?.stop();
  await home?.remove();
});

test("is written where the documentation says, by a served workspace, also of what agents were refused", async () => {
  const made = await home.run(["token", "add", "reader", "--scopes", "read", "--json"]);
  const token = (JSON.parse(made.stdout) as { data: { text: string } }).data.text;
  const agent = await agentOverHttp({ url: server.url, token }, "current");
  await assert.rejects(agent.call("run_show", { runId: "00000000-0000-7000-8000-000000000000" }));
  await agent.close();
  const nobody = await fetch(`${server.url}/mcp`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json", authorization: "Bearer nonsense" },
  });
  assert.equal(nobody.status, 401);
  const changed = await fetch(`${server.url}/api/v1/project/add`, {
    method: "POST",
    body: '{"name":"no"}',
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
  });
  assert.equal(changed.status, 403);

  const file = path.join(home.folder, ".throughline", "security.log");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const entries = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SecurityEntry);
  assert.deepEqual(
    entries.map(({ event, path: at, code }) => [event, at, code]),
    [
      ["access.refused", "/mcp", "run_not_found"],
      ["caller.refused", "/mcp", "token_invalid"],
      ["access.refused", "/api/v1/project/add", "scope_missing"],
    ],
  );
  assert.ok(!readFileSync(file, "utf8").includes(token));
});
