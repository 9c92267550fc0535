import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import { type ScratchServer, scratchServer } from "../../../tests/scratch/scratch-server.ts";
import type { Event } from "../../kernel/store/events.ts";
import { appendEvents } from "../../kernel/store/events.ts";
import { findDaemonAddress, removeDaemonAddress, writeDaemonAddress } from "./daemon-address.ts";
import { createHttpClient } from "./http-client.ts";
import { readSentEvents } from "./read-sent-events.ts";

let server: ScratchServer;
before(async () => {
  server = await scratchServer();
});
after(() => server.close());
const signal = new AbortController().signal;

describe("the client over HTTP", () => {
  test("a change whose answer was lost is asked for again and happens once", async () => {
    const relay = await startRelay(server.port, { breaks: 2 });
    const client = createHttpClient({ url: relay.url, token: await server.token("operator") });
    const before = server.effects();

    const { output } = await client.invoke(
      "note.add",
      { text: "once" },
      { signal, idempotencyKey: "lost-answer" },
    );

    assert.equal((output as { text: string }).text, "once");
    assert.equal(server.effects(), before + 1);
    assert.equal(relay.broken(), 2);
    await relay.close();
  });

  test("without a key nothing is sent twice", async () => {
    const relay = await startRelay(server.port, { breaks: 1 });
    const client = createHttpClient({ url: relay.url, token: await server.token("operator") });
    const before = server.effects();

    await assert.rejects(client.invoke("note.add", { text: "maybe" }, { signal }), {
      code: "connection_broken",
    });

    assert.equal(server.effects(), before + 1);
    await relay.close();
  });

  test("following goes on after the connection broke, without gap or repetition", async () => {
    const relay = await startRelay(server.port, { breaks: 0 });
    const client = createHttpClient({ url: relay.url, token: await server.token("admin") });
    const stop = new AbortController();
    const seen: Event[] = [];
    const reading = (async () => {
      for await (const event of client.events({ after: "0.0", streams: ["tale"] }, stop.signal)) {
        seen.push(event);
        if (seen.length === 30) stop.abort();
      }
    })();

    for (let n = 0; n < 30; n += 1) {
      const event = { stream: "tale", type: "tale.told", projectId: null, actor: "x", data: { n } };
      await server.kernel.store.write(() => appendEvents([event], n));
      if (n % 10 === 5) relay.cut();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await reading;

    assert.deepEqual(
      seen.map(({ data }) => (data as { n: number }).n),
      Array.from({ length: 30 }, (_, n) => n),
    );
    await relay.close();
  });

  test("says when nothing, or somebody else, answers", async () => {
    const hello = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
    const stranger = createServer((socket) => socket.once("data", () => socket.end(hello)));
    const port = await listen(stranger);
    const strange = createHttpClient({ url: `http://127.0.0.1:${port}`, token: "t" });
    await assert.rejects(strange.events({}, signal).next(), { code: "answer_not_understood" });
    await new Promise((resolve) => stranger.close(resolve));

    const nobody = createHttpClient({ url: `http://127.0.0.1:${port}`, token: "t" });
    await assert.rejects(nobody.invoke("note.list", {}, { signal }), {
      code: "daemon_unreachable",
      kind: "unavailable",
    });
  });

  test("events are read the same however the bytes are cut", async () => {
    const bytes = Buffer.from(
      'event: a\ndata: {"x":"é👍\\n"}\nid: 1.1\n\n: alive\n\ndata: 5\nid: 1.2\n\n',
    );
    const whole = await Array.fromAsync(readSentEvents(cut(bytes, [])));
    assert.deepEqual(whole, [
      { id: "1.1", event: "a", data: { x: "é👍\n" } },
      { id: undefined, event: undefined, data: undefined },
      { id: "1.2", event: undefined, data: 5 },
    ]);

    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (places) => {
        assert.deepEqual(await Array.fromAsync(readSentEvents(cut(bytes, places))), whole);
      }),
    );
  });
});

describe("the address of the running server", () => {
  test("is a file only its owner can read, and counts only while the process lives", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "throughline-address-"));
    const file = path.join(folder, "server.json");
    const address = { url: "http://127.0.0.1:4000", token: "tl_x", processId: process.pid };
    assert.equal(await findDaemonAddress(folder), undefined);

    await writeDaemonAddress(folder, address);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(await findDaemonAddress(folder), address);

    chmodSync(file, 0o644);
    await assert.rejects(findDaemonAddress(folder), { code: "address_file_open" });
    chmodSync(file, 0o600);
    writeFileSync(file, JSON.stringify({ ...address, processId: 2 ** 30 }));
    assert.equal(await findDaemonAddress(folder), undefined);
    await removeDaemonAddress(folder);
    await removeDaemonAddress(folder);
    rmSync(folder, { recursive: true });
  });
});

async function* cut(bytes: Buffer, places: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = [...places, bytes.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    yield bytes.subarray(from, end);
    from = end;
  }
}

/** Passes bytes on, and cuts the first answers off before they arrive. */
async function startRelay(port: number, { breaks }: { breaks: number }) {
  const { connect } = await import("node:net");
  const sockets = new Set<Socket>();
  let left = breaks;
  let ownPort = 0;
  const relay = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy());
    }
    // The guard serves its own port only, so the relay's must not show.
    near.on("data", (chunk: Buffer) => {
      const text = chunk.toString("latin1");
      far.write(text.replace(`127.0.0.1:${ownPort}`, `127.0.0.1:${port}`), "latin1");
    });
    far.once("data", (chunk: Buffer) => {
      if (left > 0) {
        left -= 1;
        near.destroy();
        far.destroy();
        return;
      }
      near.write(chunk);
      far.pipe(near);
    });
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  ownPort = await listen(relay);
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${ownPort}`,
    broken: () => breaks - left,
    cut: cutAll,
    close: async () => {
      cutAll();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

function listen(listening: Server): Promise<number> {
  return new Promise((resolve) => {
    listening.listen(0, "127.0.0.1", () => resolve((listening.address() as { port: number }).port));
  });
}
