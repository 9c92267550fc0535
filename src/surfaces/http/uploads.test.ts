import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { type ScratchServer, scratchServer } from "../../../tests/scratch/scratch-server.ts";
import { callerOf } from "../../kernel/operation/authorisation-matrix.ts";
import { openUpload } from "../../kernel/operation/uploads.ts";

let server: ScratchServer;
before(async () => {
  server = await scratchServer();
});
after(() => server.close());

interface Upload {
  readonly id: string;
  readonly received: number;
  readonly isComplete: boolean;
}

const begin = async (bytes: number, name = "export.zip"): Promise<Upload> => {
  const body = JSON.stringify({ name, bytes });
  return (await (await server.fetch("/api/v1/uploads", { method: "POST", body })).json()) as Upload;
};
const put = (id: string, from: number, content: Uint8Array<ArrayBuffer>, token?: string) =>
  server.fetch(`/api/v1/uploads/${id}`, {
    method: "PUT",
    body: content,
    ...(token === undefined ? {} : { token }),
    headers: {
      "content-type": "application/octet-stream",
      "content-range": `bytes ${from}-${from + content.length - 1}/*`,
    },
  });
const state = async (id: string) =>
  (await (await server.fetch(`/api/v1/uploads/${id}`)).json()) as Upload;

describe("uploads", () => {
  test("a file sent in parts, with a break in one, arrives whole", async () => {
    const content = new Uint8Array(randomBytes(3_000_000));
    const { id } = await begin(content.length);

    await put(id, 0, content.subarray(0, 1_000_000));
    const going = new AbortController();
    async function* breaking() {
      yield content.subarray(1_000_000, 1_500_000);
      await new Promise((resolve) => setTimeout(resolve, 100));
      going.abort();
      yield content.subarray(1_500_000, 1_600_000);
    }
    const broken = server.fetch(`/api/v1/uploads/${id}`, {
      method: "PUT",
      body: breaking(),
      duplex: "half",
      signal: going.signal,
      headers: {
        "content-type": "application/octet-stream",
        "content-range": "bytes 1000000-1599999/*",
      },
    });
    await assert.rejects(broken);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { received } = await state(id);
    assert.ok(received >= 1_000_000 && received <= 1_600_000, String(received));
    await assert.rejects(openUpload(server.kernel, operator, id), { code: "upload_incomplete" });
    const last = await put(id, received, content.subarray(received));

    assert.equal(((await last.json()) as Upload).isComplete, true);
    const { stream } = await openUpload(server.kernel, operator, id);
    const hash = createHash("sha256");
    for await (const chunk of stream()) hash.update(chunk as Uint8Array);
    assert.equal(hash.digest("hex"), createHash("sha256").update(content).digest("hex"));
  });

  test("parts must fit: no gaps, no overlaps, no more than announced, no other's upload", async () => {
    const { id } = await begin(10);
    const five = new Uint8Array(5);

    const gap = await put(id, 3, five);
    await put(id, 0, five);
    const overlap = await put(id, 0, five);
    const tooMuch = await put(id, 5, new Uint8Array(20));
    const foreign = await put(id, 5, five, await server.token("admin"));
    const viewer = await put(id, 5, five, await server.token("viewer"));
    const strange = await put("..%2f..%2fworkspace", 0, five);

    assert.deepEqual(((await gap.json()) as { details: unknown }).details, { received: 0 });
    assert.deepEqual(
      [gap.status, overlap.status, tooMuch.status, foreign.status, viewer.status, strange.status],
      [409, 409, 413, 404, 403, 400],
    );
    assert.equal((await state(id)).received, 5);
  });

  test("a removed upload leaves no file, and only octets are taken", async () => {
    const { id } = await begin(4);
    const json = await server.fetch(`/api/v1/uploads/${id}`, { method: "PUT", body: "{}" });

    const removed = await server.fetch(`/api/v1/uploads/${id}`, { method: "DELETE" });

    assert.deepEqual([json.status, removed.status], [415, 204]);
    assert.equal((await server.fetch(`/api/v1/uploads/${id}`)).status, 404);
    const left = readdirSync(path.join(server.kernel.folder, "uploads"));
    assert.ok(left.every((name) => !name.startsWith(id)));
  });
});

const operator = callerOf("operator", false, undefined);
