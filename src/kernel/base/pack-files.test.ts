import assert from "node:assert/strict";
import { test } from "node:test";
import { type FileToPack, packFiles } from "./pack-files.ts";

test("the length announced is the length written", async () => {
  for (const files of [
    [],
    [file("a.jsonl", "one\ntwo\n"), file("ünder/b", "x".repeat(99)), file("empty", "")],
  ]) {
    const packed = packFiles(files);

    assert.equal((await collect(packed.stream())).length, packed.bytes);
  }
});

test("a file that grows is packed as it was, one that shrinks is refused", async () => {
  const grown = packFiles([{ ...file("a", "longer"), bytes: 4 }]);
  const shrunk = packFiles([{ ...file("a", "abc"), bytes: 4 }]);

  assert.equal((await collect(grown.stream())).length, grown.bytes);
  await assert.rejects(collect(shrunk.stream()), { code: "file_changed" });
});

function file(name: string, content: string): FileToPack {
  const bytes = Buffer.from(content);
  return {
    name,
    bytes: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3);
    },
  };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
