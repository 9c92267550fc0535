/** A real server tells a real receiver, which believes nothing without a signature. */

import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { scratchFolder } from "../scratch/program.ts";

test("a run that finished while nobody served is told by the next server, signed, once", async (t) => {
  const home = scratchFolder();
  t.after(() => home.remove());
  await home.run(["init"]);
  const seen: { id: string; isSigned: boolean; body: { type: string; data: { state: string } } }[] =
    [];
  let secret = "";
  let onMessage = () => {};
  const receiver = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const body = Buffer.concat(chunks).toString();
    const {
      "webhook-id": id,
      "webhook-timestamp": at,
      "webhook-signature": given,
    } = request.headers;
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const wanted = `v1,${createHmac("sha256", key)
      .update(`${String(id)}.${String(at)}.${body}`)
      .digest("base64")}`;
    const isSigned = timingSafeEqual(Buffer.from(String(given)), Buffer.from(wanted));
    seen.push({
      id: String(id),
      isSigned,
      body: JSON.parse(body) as (typeof seen)[number]["body"],
    });
    response.writeHead(204).end();
    onMessage();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  t.after(() => receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const added = await home.run(["notice", "add", url, "--on", "run.finished", "--json"]);
  assert.equal(added.code, 0, added.stderr);
  secret = (JSON.parse(added.stdout) as { data: { secret: string } }).data.secret;

  assert.equal((await home.run(["ask", "Is anybody there?"])).code, 0);
  const told = new Promise<void>((resolve) => (onMessage = resolve));
  await home.serve(["serve"]);
  await told;
  const { id } = (JSON.parse(added.stdout) as { data: { id: string } }).data;
  const states = async () => {
    const shown = await home.run(["notice", "show", id, "--json"]);
    const { data } = JSON.parse(shown.stdout) as { data: { messages: { state: string }[] } };
    return data.messages.map(({ state }) => state);
  };
  while (!(await states()).includes("delivered"));

  assert.deepEqual(await states(), ["delivered"]);
  assert.equal(seen.length, 1);
  assert.ok(seen.every(({ isSigned }) => isSigned));
  assert.equal(seen[0]?.body.type, "run.finished");
  assert.equal(seen[0]?.body.data.state, "completed");
});
