import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { encodeSentEvent, type SentEvent, sentEventStream } from "./server-sent-events.ts";

describe("server-sent events", () => {
  test("nothing is fetched from the source before the reader has room for it", async () => {
    let asked = 0;
    async function* source(): AsyncGenerator<readonly SentEvent[], void> {
      for (;;) {
        asked += 1;
        yield [{ data: asked }];
      }
    }
    const reader = sentEventStream(source(), () => undefined).getReader();

    const before = asked;
    await reader.read();
    await reader.read();
    await new Promise((resolve) => setImmediate(resolve));

    assert.deepEqual([before, asked], [0, 2]);
    await reader.cancel();
  });

  test("a failing source ends the answer and is reported once", async () => {
    const ends: unknown[] = [];
    async function* source(): AsyncGenerator<readonly SentEvent[], void> {
      yield [{ comment: "hello" }];
      throw new Error("gone");
    }

    const text = await new Response(sentEventStream(source(), (error) => ends.push(error))).text();

    assert.equal(text, ": hello\n\n");
    assert.deepEqual(ends.map(String), ["Error: gone"]);
  });

  test("data with line breaks stays on one line", () => {
    assert.equal(
      encodeSentEvent({ id: "1.2", event: "note.added", data: "a\nb\r\nc\u2028" }),
      'event: note.added\ndata: "a\\nb\\r\\nc\u2028"\nid: 1.2\n\n',
    );
  });
});
