/** A real server tells a real receiver, which believes nothing without a signature. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchFolder } from "../scratch/program.ts";
import { startReceiver } from "../scratch/receiver.ts";

interface Message {
  readonly type: string;
  readonly data: { readonly state: string };
}

test("a run that finished while nobody served is told by the next server, signed, once", async (t) => {
  const home = scratchFolder();
  t.after(() => home.remove());
  await home.run(["init"]);
  const seen: { readonly isSigned: boolean; readonly body: Message }[] = [];
  let secret = "";
  let onMessage = () => {};
  const receiver = await startReceiver((body, headers) => {
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": given } = headers;
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const signed = `${String(id)}.${String(at)}.${body}`;
    const wanted = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
    seen.push({ isSigned: given === wanted, body: JSON.parse(body) as Message });
    onMessage();
    return 204;
  });
  t.after(() => receiver.close());
  const url = `${receiver.url}/hook`;
  const added = await home.run(["notice", "add", url, "--on", "run.finished", "--json"]);
  assert.equal(added.code, 0, added.stderr);
  secret = (JSON.parse(added.stdout) as { data: { secret: string } }).data.secret;

  assert.equal((await home.run(["ask", "Is anybody there?"])).code, 0);
  const told = new Promise<void>((resolve) => {
    onMessage = resolve;
  });
  await home.serve(["serve"]);
  await told;
  const { id } = (JSON.parse(added.stdout) as { data: { id: string } }).data;
  const states = async () => {
    const shown = await home.run(["notice", "show", id, "--json"]);
    const { data } = JSON.parse(shown.stdout) as { data: { messages: { state: string }[] } };
    return data.messages.map(({ state }) => state);
  };
  while (!(await states()).includes("delivered")) await sleep(50);

  assert.deepEqual(await states(), ["delivered"]);
  assert.equal(seen.length, 1);
  assert.ok(seen.every(({ isSigned }) => isSigned));
  assert.equal(seen[0]?.body.type, "run.finished");
  assert.equal(seen[0]?.body.data.state, "completed");
});
