import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ScratchServer, scratchServer } from "../../../tests/scratch/scratch-server.ts";
import { authenticateToken } from "../../kernel/operation/authenticate.ts";
import { appendEvents, type NewEvent } from "../../kernel/store/events.ts";
import { insertProject } from "../../kernel/store/projects.ts";
import { revokeToken } from "../../kernel/store/tokens.ts";

let server: ScratchServer;
before(async () => {
  server = await scratchServer();
});
after(() => server.close());

const told = (change: Partial<NewEvent> = {}): NewEvent => ({
  stream: "workspace",
  type: "thing.happened",
  projectId: null,
  actor: "operator",
  data: {},
  ...change,
});
const tell = (...events: readonly NewEvent[]) =>
  server.kernel.store.write(() => appendEvents(events, Date.now()));

interface Seen {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly data: { readonly n: number } };
}

/** Reads until `count` events came, then leaves. */
async function follow(
  path: string,
  count: number,
  options: { token?: string; headers?: Record<string, string>; onConnected?: () => void } = {},
): Promise<readonly Seen[]> {
  const going = new AbortController();
  const response = await server.fetch(path, { ...options, signal: going.signal });
  options.onConnected?.();
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const seen: Seen[] = [];
  let text = "";
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks.filter((candidate) => candidate.includes("data: "))) {
        const field = (name: string) =>
          block
            .split("\n")
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2) ?? "";
        seen.push({ id: field("id"), event: field("event"), data: JSON.parse(field("data")) });
      }
      if (seen.length >= count) return seen;
    }
  } finally {
    going.abort();
  }
  return seen;
}

describe("the event stream", () => {
  test("a reader that drops out again and again misses nothing and sees nothing twice", async () => {
    const token = await server.token("admin");
    const start = (await follow("/api/v1/events?after=0.0", 1, { token }))[0]?.id ?? "";
    const writing = (async () => {
      for (let n = 0; n < 300; n += 1) await tell(told({ stream: `s${n % 3}`, data: { n } }));
    })();

    const numbers: number[] = [];
    let lastEventId = start;
    while (numbers.length < 300) {
      const some = await follow(
        "/api/v1/events?topics=thing",
        Math.min(1 + (numbers.length % 40), 300 - numbers.length),
        {
          headers: { "last-event-id": lastEventId },
        },
      );
      numbers.push(...some.map(({ data }) => data.data.n));
      lastEventId = some.at(-1)?.id ?? lastEventId;
    }
    await writing;

    assert.deepEqual(
      numbers,
      Array.from({ length: 300 }, (_, n) => n),
    );
  });

  test("begins with what happens from now on, and comes at once", async () => {
    await tell(told({ stream: "fresh", data: { n: 0 } }));
    const connected = Promise.withResolvers<void>();
    const following = follow("/api/v1/events?streams=fresh", 1, {
      onConnected: connected.resolve,
    });
    await connected.promise;
    const toldAt = performance.now();
    await tell(
      told({ stream: "other", data: { n: 1 } }),
      told({ stream: "fresh", data: { n: 2 } }),
    );
    server.kernel.changes.notify();

    const [seen] = await following;

    assert.equal(seen?.data.data.n, 2);
    assert.ok(performance.now() - toldAt < 5000, "it took too long");
  });

  test("shows only what the caller may see", async () => {
    const act = { actor: "admin", now: 1 };
    await server.kernel.store.write(function* () {
      yield* insertProject(
        { id: "mine", name: "M", ownerId: "viewer", visibility: "private" },
        act,
      );
      yield* insertProject(
        { id: "open", name: "O", ownerId: "admin", visibility: "workspace" },
        act,
      );
      yield* insertProject(
        { id: "closed", name: "C", ownerId: "admin", visibility: "private" },
        act,
      );
    });
    const projects = ["mine", "open", "closed"];
    await tell(
      ...projects.map((projectId, n) =>
        told({ stream: projectId, type: "sight.checked", projectId, data: { n } }),
      ),
      told({ type: "sight.checked", data: { n: 3 } }),
      told({ type: "sight.checked", actor: "viewer", data: { n: 4 } }),
    );
    const path = "/api/v1/events?after=0.0&topics=sight";

    const viewer = await follow(path, 3, { token: await server.token("viewer") });
    const admin = await follow(path, 5, { token: await server.token("admin") });

    assert.deepEqual(
      viewer.map(({ data }) => data.data.n),
      [0, 1, 4],
    );
    assert.deepEqual(
      admin.map(({ data }) => data.data.n),
      [0, 1, 2, 3, 4],
    );
  });

  test("ends when the token is revoked", async () => {
    const token = await server.token("admin");
    const { credential } = await authenticateToken(server.kernel, token);
    const ended = follow("/api/v1/events?streams=secret", 2, { token });
    await new Promise((resolve) => setTimeout(resolve, 1100));

    await server.kernel.store.write(() => revokeToken(credential.id, { actor: "test", now: 1 }));
    await tell(told({ stream: "secret", data: { n: 1 } }));

    assert.deepEqual(await ended, []);
  });

  test("refuses a wrong place, a missing scope and too many streams", async () => {
    const token = await server.token("admin", ["run"]);
    const going = new AbortController();
    const wrong = await server.fetch("/api/v1/events?after=yesterday");
    const narrow = await server.fetch("/api/v1/events", { token });
    const reader = await server.token("viewer");
    const statuses: number[] = [];
    for (let i = 0; i < 21; i += 1) {
      statuses.push(
        (await server.fetch("/api/v1/events", { token: reader, signal: going.signal })).status,
      );
    }
    going.abort();

    assert.deepEqual([wrong.status, narrow.status], [400, 403]);
    assert.deepEqual(
      [statuses.slice(0, 20).every((status) => status === 200), statuses[20]],
      [true, 429],
    );
  });

  test("a reader that stops reading for a while catches up", async () => {
    const going = new AbortController();
    const stalled = await server.fetch("/api/v1/events?topics=bulk", { signal: going.signal });
    const filler = "x".repeat(20_000);
    const total = 2000;
    for (let at = 0; at < total; at += 200) {
      await tell(
        ...Array.from({ length: 200 }, (_, i) =>
          told({ type: "bulk.told", data: { n: at + i, filler } }),
        ),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 300));

    let seen = 0;
    let line = "";
    for await (const chunk of stalled.body!.pipeThrough(new TextDecoderStream())) {
      const lines = `${line}${chunk}`.split("\n");
      line = lines.pop() ?? "";
      seen += lines.filter((text) => text === "event: bulk.told").length;
      if (seen >= total) break;
    }
    going.abort();

    assert.equal(seen, total);
  });
});
