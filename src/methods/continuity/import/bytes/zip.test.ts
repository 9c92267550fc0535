import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import * as fc from "fast-check";
import { ProductError } from "../../../../kernel/base/errors.ts";
import { packFiles } from "../../../../kernel/base/pack-files.ts";
import { readZipEntry } from "./read-zip-entry.ts";
import { readZipDirectory } from "./zip-directory.ts";
import { type ZipSample, zipOf } from "./zip-samples.suite.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-zip-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const LONG = "tide ".repeat(200_000);

test("packed and stored entries come back as they were, also behind a comment and as ZIP64", async () => {
  const entries: ZipSample[] = [
    { name: "conversations.json", content: LONG },
    { name: "ünicode/é.txt", content: "stored", isStored: true },
    { name: "empty.txt", content: "" },
  ];

  for (const options of [{}, { comment: "made by hand PK\u0005\u0006" }, { is64: true }]) {
    assert.deepEqual(await unpack(zipOf(entries, options)), [
      ["conversations.json", LONG],
      ["ünicode/é.txt", "stored"],
      ["empty.txt", ""],
    ]);
  }
});

test("what the command line packs from a folder can be read", async () => {
  const file = (name: string, content: string) => ({
    name,
    bytes: Buffer.byteLength(content),
    async *open() {
      yield Buffer.from(content);
    },
  });
  const packed = packFiles([
    file("a.jsonl", LONG),
    file("-home/ü/b.jsonl", "b"),
    file("empty", ""),
  ]);
  const chunks: Uint8Array[] = [];
  for await (const chunk of packed.stream()) chunks.push(chunk);

  assert.deepEqual(await unpack(Buffer.concat(chunks)), [
    ["a.jsonl", LONG],
    ["-home/ü/b.jsonl", "b"],
    ["empty", ""],
  ]);
});

test("names that climb out of their folder stay names", async () => {
  assert.deepEqual(await unpack(zipOf([{ name: "../../etc/passwd", content: "x" }])), [
    ["../../etc/passwd", "x"],
  ]);
});

test("what is encrypted, packed strangely, made to explode or shared is refused by name", async () => {
  const bomb = { bytes: 2 ** 31, packedBytes: 1000 };
  const refusals = await unpack(
    zipOf([
      { name: "locked", content: "x", flags: 1 },
      { name: "strange", content: "x", method: 93 },
      { name: "bomb", content: "x".repeat(2000), isStored: true, claims: bomb },
      { name: "twice", content: "x", claims: { offset: 0 } },
      { name: "fine", content: "x" },
    ]),
  );

  assert.deepEqual(refusals, [
    ["locked", "zip_encrypted"],
    ["strange", "zip_method_unknown"],
    ["bomb", "zip_bomb"],
    ["twice", "zip_overlap"],
    ["fine", "x"],
  ]);
});

test("an entry that is not what was announced is found out", async () => {
  const cases: [ZipSample, RegExp][] = [
    [{ name: "a", content: LONG, claims: { bytes: 10 } }, /unpacks to more than it announced/],
    [{ name: "a", content: "abc", claims: { bytes: 10 } }, /ends at byte 3 of 10/],
    [{ name: "a", content: "abc", claims: { checksum: 1 } }, /checksum/],
    [{ name: "a", content: Buffer.from("no deflate"), isStored: true, method: 8 }, /damaged/],
  ];

  for (const [entry, message] of cases) {
    await assert.rejects(unpack(zipOf([entry])), message);
  }
});

test("a file cut off anywhere is refused as damaged, never read past", async () => {
  const whole = zipOf([{ name: "a.json", content: LONG.slice(0, 300) }], { is64: true });

  await fc.assert(
    fc.asyncProperty(fc.nat({ max: whole.length - 1 }), async (length) => {
      await assert.rejects(
        unpack(whole.subarray(0, length)),
        (error) => error instanceof ProductError && error.code === "zip_damaged",
      );
    }),
    { numRuns: 60 },
  );
});

test("whatever bytes are changed, it is read or refused, and nothing else", async () => {
  const whole = zipOf([
    { name: "a.json", content: LONG.slice(0, 300) },
    { name: "b.json", content: "b", isStored: true },
  ]);

  await fc.assert(
    fc.asyncProperty(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }), async (at, byte) => {
      const changed = Buffer.from(whole);
      changed[at] = byte;
      try {
        await unpack(changed);
      } catch (error) {
        assert.ok(error instanceof ProductError, String(error));
      }
    }),
    { numRuns: 150 },
  );
});

async function unpack(bytes: Buffer): Promise<[string, string][]> {
  const file = path.join(folder, "sample.zip");
  writeFileSync(file, bytes);
  const handle = await open(file);
  try {
    const found: [string, string][] = [];
    for (const entry of await readZipDirectory(handle)) {
      const chunks: Uint8Array[] = [];
      if (entry.refusal === undefined) {
        for await (const chunk of readZipEntry(handle, file, entry)) chunks.push(chunk);
      }
      found.push([entry.name, entry.refusal?.code ?? Buffer.concat(chunks).toString()]);
    }
    return found;
  } finally {
    await handle.close();
  }
}
