import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { zipOf } from "./bytes/zip-samples.suite.ts";
import { openSourceFiles } from "./open-source-files.ts";
import { type ImportBatch, readImport } from "./read-import.ts";
import { readImportInThread } from "./read-in-thread.ts";
import { fixture } from "./read-sample.suite.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-reader-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const never = new AbortController().signal;

test("a thread reads what would be read here, batch by batch", async () => {
  const chats = Array.from({ length: 450 }, (_, n) => ({
    uuid: `c${n}`,
    name: `Chat ${n}`,
    chat_messages: [{ uuid: "m", sender: "human", text: `Question ${n}` }],
  }));
  const place = write(
    "export.zip",
    zipOf([
      { name: "conversations.json", content: JSON.stringify(chats) },
      { name: "chatgpt.json", content: fixture("chatgpt-conversations.export") },
      { name: "locked.json", content: "x", flags: 1 },
    ]),
  );
  const here: ImportBatch[] = [];
  const sources = await openSourceFiles(place, "export.zip");
  const options = {
    branches: "all",
    isKnown: () => false,
    elapsed: () => 0,
    signal: never,
  } as const;
  for await (const batch of readImport(sources, options)) here.push(batch);
  await sources.close();

  const there: ImportBatch[] = [];
  const order = { place, name: "export.zip", branches: "all", known: [] } as const;
  for await (const batch of readImportInThread(order, never)) there.push(batch);

  assert.equal(there.length, 5);
  assert.deepEqual(there, here);
});

test("what was stored before is known there, too", async () => {
  const place = write("known.json", fixture("chatgpt-conversations.export"));
  const order = {
    place,
    name: "known.json",
    branches: "visible",
    known: [] as readonly string[],
  } as const;
  const [first] = await Array.fromAsync(readImportInThread(order, never));
  const known = first?.conversations.flatMap(({ digest }) => digest ?? []) ?? [];

  const [second] = await Array.fromAsync(readImportInThread({ ...order, known }, never));

  assert.deepEqual([second?.conversations.length, second?.progress.unchanged], [0, 3]);
});

test("what goes wrong there arrives as what it is", async () => {
  const cut = write("cut.zip", zipOf([{ name: "a", content: "x" }]).subarray(0, 40));
  const order = { place: cut, name: "cut.zip", branches: "visible", known: [] } as const;

  await assert.rejects(Array.fromAsync(readImportInThread(order, never)), {
    code: "zip_damaged",
    kind: "invalid",
  });
  await assert.rejects(
    Array.fromAsync(readImportInThread({ ...order, place: `${cut}.gone` }, never)),
    /ENOENT/,
  );
});

test("whoever leaves off ends it", async () => {
  const place = write("long.jsonl", '{"role":"user","content":"x"}\n'.repeat(200_000));
  const order = { place, name: "long.jsonl", branches: "visible", known: [] } as const;
  const leaving = new AbortController();
  const reading = readImportInThread(order, leaving.signal);
  const next = reading.next();
  leaving.abort();

  await assert.rejects(next, { name: "AbortError" });
});

function write(name: string, content: string | Buffer): string {
  const place = path.join(folder, name);
  writeFileSync(place, content);
  return place;
}
