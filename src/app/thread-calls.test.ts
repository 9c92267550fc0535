import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { ProductError } from "../kernel/base/errors.ts";
import type { Caller } from "../kernel/operation/caller.ts";
import type { Perform } from "../kernel/operation/invoke.ts";
import type { Progress } from "../kernel/operation/operation.ts";
import { answerThrough, callThrough } from "./thread-calls.ts";

const caller: Caller = {
  userId: "u1",
  name: "Ada",
  role: "operator",
  isAgent: false,
  scopes: ["read"],
};

function through(perform: Perform): { call: Perform; close(): void } {
  const { port1, port2 } = new MessageChannel();
  answerThrough(port2, perform);
  return { call: callThrough(port1), close: () => port1.close() };
}

describe("calls to another thread", () => {
  test("carry the caller, the input and the key there, and the output back", async (t) => {
    const { call, close } = through(async (...given) => given);
    t.after(close);

    const [name, who, input, options] = (await call(
      "note.add",
      caller,
      { text: "é" },
      { idempotencyKey: "k" },
    )) as Parameters<Perform>;

    assert.deepEqual([name, who, input], ["note.add", caller, { text: "é" }]);
    assert.equal(options?.idempotencyKey, "k");
  });

  test("keep apart what is under way at once, and report progress in order", async (t) => {
    const { call, close } = through(async (_, __, input, options) => {
      for (const done of [1, 2, 3]) {
        options?.report?.({ message: String(input), done });
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return input;
    });
    t.after(close);
    const seen = new Map<string, number[]>();
    const report = ({ message, done = 0 }: Progress) =>
      void seen.set(message, [...(seen.get(message) ?? []), done]);

    const outputs = await Promise.all(
      ["a", "b", "c"].map((input) => call("x.y", caller, input, { report })),
    );

    assert.deepEqual(outputs, ["a", "b", "c"]);
    for (const input of ["a", "b", "c"]) assert.deepEqual(seen.get(input), [1, 2, 3]);
  });

  test("fail as they would here: foreseen failures keep code, kind, hint and details", async (t) => {
    const { call, close } = through(async (name) => {
      if (name === "odd.bug") throw new TypeError("no such thing");
      throw new ProductError("note_not_found", "There is none.", {
        kind: "not_found",
        hint: "Look again.",
        details: { id: "n1" },
      });
    });
    t.after(close);

    await assert.rejects(call("note.show", caller, {}, {}), (error) => {
      assert.ok(error instanceof ProductError);
      assert.deepEqual(
        [error.code, error.kind, error.message, error.hint, error.details],
        ["note_not_found", "not_found", "There is none.", "Look again.", { id: "n1" }],
      );
      return true;
    });
    await assert.rejects(call("odd.bug", caller, {}, {}), (error) => {
      assert.ok(error instanceof Error && !(error instanceof ProductError));
      assert.match(error.stack ?? "", /TypeError: no such thing/);
      return true;
    });
  });

  test("end there when nobody waits for them any more", async (t) => {
    const aborted = Promise.withResolvers<void>();
    const { call, close } = through(
      (_, __, ___, options) =>
        new Promise((_resolve, reject) => {
          options?.signal?.addEventListener("abort", () => {
            aborted.resolve();
            reject(new Error("stopped"));
          });
        }),
    );
    t.after(close);
    const stop = new AbortController();

    const waiting = call("work.count", caller, {}, { signal: stop.signal });
    stop.abort();

    await assert.rejects(waiting, { name: "AbortError" });
    await aborted.promise;
    await assert.rejects(call("work.count", caller, {}, { signal: stop.signal }), {
      name: "AbortError",
    });
  });

  test("an output that cannot travel is a failure, not a silence", async (t) => {
    const { call, close } = through(async () => () => undefined);
    t.after(close);

    await assert.rejects(call("x.y", caller, {}, {}), /could not be cloned/);
  });
});
