import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { chunksOf } from "../read-sample.suite.ts";
import { asUtf8 } from "./as-utf8.ts";
import { readJsonLines } from "./read-json-lines.ts";
import { readLines } from "./read-lines.ts";

test("lines come with their places, whatever ends them, and the last needs no end", async () => {
  assert.deepEqual(await lines("\ufeffone\r\ntwo\n\nfour"), [
    [0, 1, "one"],
    [8, 2, "two"],
    [12, 3, ""],
    [13, 4, "four"],
  ]);
  assert.deepEqual(await lines("one\n"), [[0, 1, "one"]]);
  assert.deepEqual(await lines(""), []);
});

test("a line that is too long is reported with its length, and the next is read", async () => {
  assert.deepEqual(await lines(`a\n${"x".repeat(500)}\nb`, { maxBytes: 100 }), [
    [0, 1, "a"],
    [2, 2, "The line has 500 bytes; at most 100 are read."],
    [503, 3, "b"],
  ]);
});

test("however a file is cut into chunks, the same lines come out", async () => {
  const line = fc.string({
    unit: fc.constantFrom("a", "é", "\r", " ", "x".repeat(30)),
    maxLength: 8,
  });
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 10 });

  await fc.assert(
    fc.asyncProperty(fc.array(line), sizes, async (all, cut) => {
      const text = all.join("\n");
      const limits = { maxBytes: 60 };

      assert.deepEqual(await lines(text, limits, cut), await lines(text, limits));
    }),
    { numRuns: 300 },
  );
});

test("JSON lines: a broken or too deep one costs only itself, empty ones nothing", async () => {
  const text = `{"a":1}\n\n{"a":\n  \n${"[".repeat(200)}${"]".repeat(200)}\n{"a":2}`;
  const found: unknown[] = [];
  for await (const piece of readJsonLines(chunksOf(Buffer.from(text), [9]))) {
    found.push([
      piece.line,
      piece.kind === "fault" ? piece.code : piece.kind === "record" && piece.value,
    ]);
  }

  assert.deepEqual(found, [
    [1, { a: 1 }],
    [3, "record_broken"],
    [5, "record_too_deep"],
    [6, { a: 2 }],
  ]);
});

test("UTF-16 is read like UTF-8, in either byte order and however it is cut", async () => {
  const text = "User: Tide \u{1f30a}\nAssistant: Ja";
  const little = Buffer.from(`\ufeff${text}`, "utf16le");
  const big = Buffer.from(little).swap16();

  for (const bytes of [little, big, Buffer.from(text)]) {
    for (const sizes of [[1], [3], [1000]]) {
      const read: Uint8Array[] = [];
      for await (const chunk of asUtf8(chunksOf(bytes, sizes))) read.push(chunk);
      assert.equal(Buffer.concat(read).toString().replace("\ufeff", ""), text);
    }
  }
});

async function lines(
  text: string,
  limits = { maxBytes: 1000 },
  sizes: readonly number[] = [1 << 20],
): Promise<[number, number, string][]> {
  const found: [number, number, string][] = [];
  for await (const cut of readLines(chunksOf(Buffer.from(text), sizes), limits)) {
    found.push([cut.offset, cut.line, cut.kind === "fault" ? cut.message : cut.bytes.toString()]);
  }
  return found;
}
