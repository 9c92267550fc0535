import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import type { Progress } from "../../kernel/operation/operation.ts";
import { partsOf } from "./file-parts.ts";
import { createHttpClient } from "./http-client.ts";
import { openSentFile } from "./open-sent-file.ts";
import type { SentFile } from "./operation-client.ts";

describe("files on their way to the server", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-send-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, content: string) => {
    const place = path.join(folder, name);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, content);
  };
  const source = {
    directory: folder,
    endings: [".jsonl"],
    stdin: async function* () {
      yield Buffer.from("from ");
      yield Buffer.from([0xff, 0x00]);
    },
  };

  test("a file is sent as it is, standard input byte for byte", async () => {
    write("plain.bin", "hello");

    const plain = await openSentFile("plain.bin", source);
    const piped = await openSentFile("-", source);

    assert.deepEqual(
      [plain.name, plain.bytes, await collect(plain.open(1))],
      ["plain.bin", 5, Buffer.from("ello")],
    );
    assert.deepEqual(
      await collect(piped.open(0)),
      Buffer.from([...Buffer.from("from "), 0xff, 0x00]),
    );
    await piped.close();
    await assert.rejects(collect(piped.open(0)), { code: "ENOENT" });
  });

  test("a folder is one archive of what is looked for, the same bytes each time, without following links", async () => {
    write("sessions/b/two.jsonl", "2");
    write("sessions/a/one.jsonl", "1");
    write("sessions/a/picture.png", "no");
    write("outside/secret.jsonl", "secret");
    symlinkSync(path.join(folder, "outside"), path.join(folder, "sessions/link"));
    symlinkSync(
      path.join(folder, "outside/secret.jsonl"),
      path.join(folder, "sessions/secret.jsonl"),
    );

    const archive = await openSentFile("sessions", source);
    const bytes = await collect(archive.open(0));

    assert.deepEqual([archive.name, archive.bytes], ["sessions.zip", bytes.length]);
    assert.deepEqual(
      [...bytes.toString("latin1").matchAll(/[ab]\/\w+\.\w+/g)].map(([name]) => name),
      ["a/one.jsonl", "b/two.jsonl", "a/one.jsonl", "b/two.jsonl"],
    );
    assert.ok(!bytes.includes("secret"));
    assert.deepEqual(await collect(archive.open(100)), bytes.subarray(100));
  });

  test("what is not there, empty or special is refused", async () => {
    mkdirSync(path.join(folder, "empty"), { recursive: true });

    await assert.rejects(openSentFile("nowhere", source), { code: "file_not_found" });
    await assert.rejects(openSentFile("empty", source), { code: "folder_empty" });
    await assert.rejects(openSentFile("/dev/null", source), { code: "file_special" });
  });

  test("parts hold exactly the bytes they announce, however chunks come", async () => {
    const part = 32 * 1024 * 1024;
    const bytes = Buffer.alloc(part * 2 + 7, "ab");
    const file: SentFile = {
      name: "x",
      bytes: bytes.length,
      async *open(from) {
        for (let at = from; at < bytes.length; at += 9_999_991)
          yield bytes.subarray(at, at + 9_999_991);
      },
    };
    const found: [number, number, number][] = [];

    for await (const { offset, bytes: announced, chunks } of partsOf(file, 5)) {
      found.push([offset, announced, (await collect(chunks)).length]);
    }

    assert.deepEqual(found, [
      [5, part, part],
      [part + 5, part, part],
      [2 * part + 5, 2, 2],
    ]);
    const short = { ...file, bytes: bytes.length + 1 };
    await assert.rejects(
      async () => {
        for await (const { chunks } of partsOf(short, 0)) await collect(chunks);
      },
      { code: "file_changed" },
    );
  });

  test("after a broken connection it goes on where the server says that the file ends", async (t) => {
    const received: Buffer[] = [];
    let breaks = 1;
    const server = createServer((request, response) => void serve(request, response));
    const serve = async (request: IncomingMessage, response: ServerResponse) => {
      const answer = () => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ id: "u1", received: Buffer.concat(received).length }));
      };
      if (request.method !== "PUT") {
        request.resume();
        return answer();
      }
      for await (const chunk of request) {
        received.push(chunk as Buffer);
        if (breaks === 0) continue;
        breaks -= 1;
        request.socket.destroy();
        return;
      }
      answer();
    };
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const client = createHttpClient({ url: `http://127.0.0.1:${port}`, token: "t" });
    const content = Buffer.alloc(3_000_000, "tide ");
    const file: SentFile = {
      name: "x",
      bytes: content.length,
      async *open(from) {
        for (let at = from; at < content.length; at += 100_000)
          yield content.subarray(at, at + 100_000);
      },
    };

    const said: Progress[] = [];
    const { signal } = new AbortController();

    const id = await client.upload(file, { signal, report: (progress) => said.push(progress) });

    assert.deepEqual([id, breaks], ["u1", 0]);
    const sent = { message: "Sending x", done: content.length, total: content.length };
    assert.deepEqual(said.at(-1), { ...sent, unit: "bytes" });
    assert.ok(Buffer.concat(received).equals(content));
    received.length = 0;
    const shrunk = { ...file, bytes: content.length + 1 };
    await assert.rejects(client.upload(shrunk, { signal: new AbortController().signal }), {
      code: "file_changed",
    });
  });
});

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk));
  return Buffer.concat(all);
}
