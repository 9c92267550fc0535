import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { type JsonRecordOptions, readJsonRecords } from "./read-json-records.ts";

const SMALL = { maxBytes: 2000, maxDepth: 20 };

test("elements come one by one with their offsets and lines", async () => {
  const text = '[\n  {"id": 1},\n  {"id": "é"}, 3\n]\n';

  assert.deepEqual(await read(text), [
    { value: { id: 1 }, offset: 4, line: 2 },
    { value: { id: "é" }, offset: 17, line: 3 },
    { value: 3, offset: 31, line: 3 },
  ]);
});

test("a byte order mark, no element at all, and a list inside an object are read", async () => {
  assert.deepEqual(await read('\ufeff[{"id":1}]'), [{ value: { id: 1 }, offset: 4, line: 1 }]);
  assert.deepEqual(await read("[]"), []);
  assert.deepEqual(
    await read('{"version":{"a":["]"]},"items":[1,2],"more":[3]}', { member: "items" }),
    [
      { value: 1, offset: 32, line: 1 },
      { value: 2, offset: 34, line: 1 },
    ],
  );
  assert.deepEqual(await read('{"a":1}', { member: "items" }), [
    { fault: "list_missing", offset: 0, line: 1 },
  ]);
  assert.deepEqual(await read(' {"id":1}\n', "whole"), [{ value: { id: 1 }, offset: 1, line: 1 }]);
});

test("an element that is no JSON is reported where it stands, and the rest is read", async () => {
  const text = '[{"id":1},\n{"id":tru},\n{"id":3}]';

  assert.deepEqual(await read(text), [
    { value: { id: 1 }, offset: 1, line: 1 },
    { fault: "record_broken", offset: 11, line: 2 },
    { value: { id: 3 }, offset: 23, line: 3 },
  ]);
});

test("an element that never closes costs only itself", async () => {
  const text = '[{"id":1,"deep":{"a":[1]}},{"id":2,"deep":{"a":[1}},{"id":3},{"id":4}]';

  assert.deepEqual(await read(text), [
    { value: { id: 1, deep: { a: [1] } }, offset: 1, line: 1 },
    { fault: "record_broken", offset: 27, line: 1 },
    { value: { id: 3 }, offset: 52, line: 1 },
    { value: { id: 4 }, offset: 61, line: 1 },
  ]);
});

test("an element that never closes is found out long before a record's limit is read", async () => {
  const whole = Array.from({ length: 400 }, (_, id) => `{"id":${id},"text":"${"x".repeat(80)}"}`);
  const text = `[{"id":"first"},{"id":"open","deep":[1,${whole.join(",")}]`;
  const limits = { maxBytes: 20_000, maxDepth: 20 };
  for (const isKnown of [() => false, () => true]) {
    let taken = 0;
    const counted = async function* () {
      for await (const chunk of chunksOf(Buffer.from(text), [100])) {
        taken += chunk.length;
        yield chunk;
      }
    };
    const isRecord = (value: unknown) => typeof value === "object" && value !== null;
    const options = { isRecord, isKnown, limits, standsAlone: true };
    const pieces = readJsonRecords(counted(), { within: "list", ...options });
    for await (const piece of pieces) {
      if (piece.kind !== "fault") continue;
      assert.equal(piece.code, "record_broken");
      assert.equal(piece.offset, 16);
      break;
    }
    assert.ok(taken < 2000, `took ${taken} bytes`);
  }
});

test("a large element that holds others of its kind is one element", async () => {
  const inner = Array.from({ length: 100 }, (_, id) => `{"id":${id}}`);
  const large = `{"id":"large","all":[${inner.join(",")}]}`;

  assert.deepEqual(await ids(`[{"id":1},${large},{"id":3}]`), [1, "large", 3]);
});

test("a quote too many costs only its element", async () => {
  const text = '[{"id":1},{"id":"a"b","x":"}"},{"id":3,"t":"[{"},{"id":4}]';

  assert.deepEqual(await ids(text), [1, "record_broken", 3, 4]);
});

test("what looks like an element but is part of a broken one is not taken for one", async () => {
  const text = '[{"id":1,"is":true},{"id":2,"links":[{"id":"inner"}, nope]},{"id":3,"is":true}]';

  assert.deepEqual(
    await ids(text, { isRecord: (value) => (value as { is?: boolean }).is === true }),
    [1, "record_broken", 3],
  );
});

test("a file that was cut off gives what is whole and says where it ends", async () => {
  assert.deepEqual(await read('[{"id":1},{"id":2,"te'), [
    { value: { id: 1 }, offset: 1, line: 1 },
    { fault: "file_cut_off", offset: 10, line: 1 },
  ]);
  assert.deepEqual(await read('[{"id":1},'), [
    { value: { id: 1 }, offset: 1, line: 1 },
    { fault: "file_cut_off", offset: 10, line: 1 },
  ]);
  assert.deepEqual(await read(""), [{ fault: "list_missing", offset: 0, line: 1 }]);
});

test("an element beyond the limits is passed over: too large, too deep", async () => {
  const large = `{"id":2,"text":"${"x".repeat(5000)}{\\"id\\":"}`;
  const deep = `{"id":3,"a":${"[".repeat(50)}${"]".repeat(50)}}`;

  assert.deepEqual(await ids(`[{"id":1},${large},${deep},{"id":4}]`), [
    1,
    "record_too_large",
    "record_too_deep",
    4,
  ]);
});

test("brackets nested a million deep, or closed a million times too often, end quickly", async () => {
  const started = performance.now();

  const open = await ids(`[{"id":1},${'{"id":['.repeat(300_000)}`);
  const closed = await ids(`[{"id":1}${"}".repeat(1_000_000)}`);
  const lists = await ids("[".repeat(1_000_000));

  assert.deepEqual(open, [1, "record_too_large"]);
  assert.deepEqual(closed, [1, "file_unreadable"]);
  assert.deepEqual(lists, ["record_too_large"]);
  assert.deepEqual(await ids(`[{"id":1}${"]".repeat(1_000_000)}`), [1, "file_goes_on"]);
  assert.ok(performance.now() - started < 3000);
});

test("a list that seems to end in its middle goes on", async () => {
  assert.deepEqual(await ids('[{"id":1}],{"id":2}] ]'), [1, "record_broken", 2, "file_goes_on"]);
});

test("the first element may be the broken one, from its first byte on", async () => {
  for (const first of ['x"id":0,"t":"a,b"}', '{"id:0,"t":"a,b"}', '{{"id":0}', '}{"id":0']) {
    const found = await ids(`[${first},{"id":1},{"id":2}]`);
    assert.deepEqual(found.slice(-2), [1, 2], first);
    assert.ok(found.length <= 4, JSON.stringify(found));
  }
});

test("what follows after the list is reported", async () => {
  assert.deepEqual(await read('[{"id":1}] x'), [
    { value: { id: 1 }, offset: 1, line: 1 },
    { fault: "file_goes_on", offset: 10, line: 1 },
  ]);
});

test("a name that means a prototype stays a name", async () => {
  const [record] = await read('[{"id":1,"__proto__":{"isAdmin":true}}]');

  assert.deepEqual(Object.keys((record as { value: object }).value), ["id", "__proto__"]);
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
});

test("however a file is cut into chunks, the same records and faults come out", async () => {
  const element = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify({ id: 1, value })),
    fc.constantFrom(
      '{"id":2,"broken":tru}',
      '{"id":2,"open":[1',
      '{"id":2,"quote":"a"b"}',
      '{"id":"\\\\\\""}',
      `{"id":3,"long":"${"y".repeat(300)}"}`,
      `{"id":4,"d":${"[".repeat(30)}${"]".repeat(30)}}`,
      "\n{}\n",
      "null",
      "}",
    ),
  );
  const file = fc
    .tuple(fc.array(element, { maxLength: 6 }), fc.constantFrom("]", "", "] x", '{"id":'))
    .map(([elements, end]) => Buffer.from(`[${elements.join(",")}${end}`));
  const limits = { maxBytes: 250, maxDepth: 20 };

  await fc.assert(
    fc.asyncProperty(
      file,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      async (bytes, sizes) => {
        const whole = await read(bytes, "list", { limits });
        const cut = await read(bytes, "list", { limits, sizes });

        assert.deepEqual(cut, whole);
      },
    ),
    { numRuns: 400 },
  );
});

test("every valid list is read exactly, whatever is in it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), fc.nat({ max: 3 }), async (values, space) => {
      const limits = { maxBytes: 1 << 20, maxDepth: 200 };
      const text = JSON.stringify(values, null, space);
      const pieces = await read(text, "list", { sizes: [7], limits });

      assert.deepEqual(
        pieces.map((piece) => (piece as { value: unknown }).value),
        JSON.parse(JSON.stringify(values)),
      );
    }),
    { numRuns: 200 },
  );
});

interface ReadOptions extends Partial<JsonRecordOptions> {
  readonly sizes?: readonly number[];
}

type Read =
  | { readonly value: unknown; readonly offset: number; readonly line: number }
  | { readonly fault: string; readonly offset: number; readonly line: number };

async function read(
  text: string | Buffer,
  within: JsonRecordOptions["within"] = "list",
  { sizes = [1 << 20], ...options }: ReadOptions = {},
): Promise<Read[]> {
  const found: Read[] = [];
  const records = readJsonRecords(chunksOf(Buffer.from(text), sizes), {
    within,
    isRecord: (value) => typeof value === "object" && value !== null && "id" in value,
    limits: SMALL,
    ...options,
  });
  for await (const piece of records) {
    const { offset, line } = piece;
    if (piece.kind === "fault") found.push({ fault: piece.code, offset, line });
    if (piece.kind === "record") found.push({ value: piece.value, offset, line });
  }
  return found;
}

async function ids(text: string, options?: ReadOptions): Promise<unknown[]> {
  const pieces = await read(text, "list", options);
  return pieces.map((piece) =>
    "fault" in piece ? piece.fault : (piece.value as { id: unknown }).id,
  );
}

async function* chunksOf(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
