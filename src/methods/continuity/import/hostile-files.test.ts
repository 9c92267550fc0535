import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { RECORD_LIMITS } from "./bytes/record.ts";
import { detectFormat } from "./detect-format.ts";
import type { ImportResult } from "./import-shape.ts";
import { OPERATOR, openImportWorld } from "./import-world.suite.ts";
import { fixture, readSample, spoken } from "./read-sample.suite.ts";
import type { SourceFile } from "./source-file.ts";

function chat(id: string, ...texts: readonly string[]) {
  return {
    uuid: id,
    name: `Chat ${id}`,
    chat_messages: texts.map((text, i) => ({
      uuid: `${id}-${i}`,
      sender: i % 2 ? "assistant" : "human",
      text,
    })),
  };
}

describe("hostile files", () => {
  test("a single text of 100 MB is passed over without being held, and the rest is read", async () => {
    const file = generated("big.json", async function* () {
      yield Buffer.from(
        `[${JSON.stringify(chat("a", "first"))},{"uuid":"b","name":"big","chat_messages":[{"text":"`,
      );
      const megabyte = Buffer.alloc(1024 * 1024, "x");
      for (let i = 0; i < 100; i += 1) yield megabyte;
      yield Buffer.from(`"}]},${JSON.stringify(chat("c", "last"))}]`);
    });
    const before = process.memoryUsage().arrayBuffers;

    const { titles, faults } = await readGenerated(file);

    assert.deepEqual(titles, ["Chat a", "Chat c"]);
    assert.deepEqual(faults, ["record_too_large"]);
    assert.ok(process.memoryUsage().arrayBuffers - before < 300e6);
  });

  test("a line of 100 MB and a transcript without line ends are bounded, too", async () => {
    const line = (text: string) =>
      Buffer.from(`${JSON.stringify({ role: "user", content: text })}\n`);
    const lines = generated("big.jsonl", async function* () {
      yield line("first");
      yield Buffer.from('{"role":"user","content":"');
      const megabyte = Buffer.alloc(1024 * 1024, "y");
      for (let i = 0; i < 100; i += 1) yield megabyte;
      yield Buffer.from('"}\n');
      yield line("last");
    });
    const transcript = generated("big.md", async function* () {
      yield Buffer.from("User: hi\nAssistant: ");
      const megabyte = Buffer.alloc(1024 * 1024, "z ");
      for (let i = 0; i < 70; i += 1) yield megabyte;
      yield Buffer.from("\nUser: bye\n");
    });

    const inLines = await readGenerated(lines);
    const inText = await readGenerated(transcript);

    assert.deepEqual([inLines.messages, inLines.faults], [2, ["record_too_large"]]);
    assert.deepEqual([inText.messages, inText.faults], [2, ["record_too_large"]]);
  });

  test("nesting a million deep costs its record, in a list, on a line and as a whole file", async () => {
    const deep = `${"[".repeat(1e6)}${"]".repeat(1e6)}`;
    const good = JSON.stringify(chat("a", "x"));

    const list = await readSample(
      "x.json",
      `[${good},{"uuid":"b","chat_messages":${deep}},${JSON.stringify(chat("c", "y"))}]`,
    );
    const lines = await readSample(
      "x.jsonl",
      `{"role":"user","content":"a"}\n{"role":"user","content":${deep}}\n{"role":"user","content":"b"}`,
    );
    const whole = await readSample("x.json", `{"uuid":"b","chat_messages":${deep}}`);

    assert.deepEqual(
      list.conversations.map(({ id }) => id),
      ["a", "c"],
    );
    assert.deepEqual(
      list.faults.map(({ code }) => code),
      ["record_too_deep"],
    );
    assert.deepEqual(spoken(lines.conversations[0]), [["user: a", "user: b"]]);
    assert.deepEqual(
      lines.faults.map(({ code }) => code),
      ["record_too_deep"],
    );
    assert.deepEqual(whole.conversations, []);
  });

  test("wrong bytes inside a text are replaced and noted; the words around them stay", async () => {
    const bytes = Buffer.from(JSON.stringify([chat("a", "before # after")]));
    bytes[bytes.indexOf("#")] = 0xff;

    const { conversations, notes } = await readSample("x.json", bytes);

    assert.deepEqual(spoken(conversations[0]), [["user: before \ufffd after"]]);
    assert.equal(notes["wrong character replaced"], 1);
  });

  test("names that mean prototypes are names, wherever they stand", async () => {
    const text = `[{"uuid":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},
      "chat_messages":[{"uuid":"__proto__","sender":"constructor","text":"x","__proto__":{"text":"y"}},{"uuid":"toString","sender":"human","text":"z"}]}]`;

    const { conversations } = await readSample("x.json", text);

    assert.deepEqual(spoken(conversations[0]), [["other: x", "user: z"]]);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });

  test("dates of every wrong kind are left out, right ones of every kind are understood", async () => {
    const wrong = [
      -1,
      0,
      1e300,
      "soon",
      "0000-00-00",
      {},
      [],
      true,
      "9999-99-99T00:00:00Z",
      Number.MAX_SAFE_INTEGER,
    ];
    const right: readonly (readonly [unknown, number])[] = [
      [1760000000, 1760000000000],
      [1760000000.5, 1760000000500],
      [1760000000123, 1760000000123],
      ["1760000000", 1760000000000],
      ["2026-02-03T09:00:00Z", Date.UTC(2026, 1, 3, 9)],
      ["2026-02-03T09:00:00.000000Z", Date.UTC(2026, 1, 3, 9)],
      ["2026-02-03 09:00", Date.UTC(2026, 1, 3, 9)],
    ];
    const at = async (time: unknown) => {
      const record = {
        ...chat("a"),
        chat_messages: [{ uuid: "m", sender: "human", text: "x", created_at: time }],
      };
      const { conversations, notes } = await readSample("x.json", JSON.stringify([record]));
      return [conversations[0]?.threads[0]?.messages[0]?.at, notes["wrong date left out"]];
    };

    for (const time of wrong)
      assert.deepEqual(await at(time), [undefined, 1], JSON.stringify(time));
    for (const [time, moment] of right) assert.deepEqual(await at(time), [moment, undefined]);
  });

  test("ids as long as books are told apart and stored", async (t) => {
    const world = await openImportWorld({ dialect: "postgres" });
    t.after(() => world.remove());
    const long = "é".repeat(5000);
    const record = {
      ...chat(`${long}1`, "x"),
      chat_messages: [1, 2].map((n) => ({ uuid: `${long}${n}`, sender: "human", text: String(n) })),
    };

    const { totals } = await world.import(
      "x.json",
      JSON.stringify([record, { ...record, uuid: `${long}2` }]),
    );
    const again = await world.import("x.json", JSON.stringify([{ ...record, name: "y" }]));

    assert.deepEqual([totals.added, totals.messagesAdded], [2, 4]);
    assert.equal(again.totals.messagesAdded, 0);
  });

  for (const dialect of ["sqlite", "postgres"] as const) {
    test(`null characters and half characters are stored as what both databases can hold (${dialect})`, async (t) => {
      const world = await openImportWorld({ dialect });
      t.after(() => world.remove());
      const text = `[{"uuid":"a\\u0000","name":"N\\ud800","chat_messages":[{"uuid":"m\\udc00","sender":"human","text":"a\\u0000b\\ud83d c"}]}]`;

      const first = await world.import("n\u0000.json", text);
      const second = (await world.import(
        "n\u0000.json",
        ` ${text.replace("chat_messages", 'x":1,"chat_messages')}`,
      )) as ImportResult;

      assert.equal(first.totals.added, 1);
      assert.deepEqual(
        [second.totals.messagesAdded, second.totals.messagesEdited, second.progress.unchanged],
        [0, 0, 1],
      );
      const [conversation] = await world.stored();
      assert.deepEqual(
        [conversation?.title, conversation?.said],
        ["N\ufffd", ["user: a\ufffdb\ufffd c"]],
      );
      assert.deepEqual(await world.examine(), []);
    });
  }

  test("a message longer than one may be comes in several pieces, and again adds nothing", async (t) => {
    const world = await openImportWorld();
    t.after(() => world.remove());
    const text = "\u{1f30a}".repeat(1_250_000);

    const first = await world.import("x.json", JSON.stringify([chat("a", text, "short")]));
    const second = await world.import(
      "x.json",
      JSON.stringify([{ ...chat("a", text, "short"), summary: "" }]),
    );

    assert.deepEqual([first.totals.messagesAdded, second.totals.messagesAdded], [4, 0]);
    const said = (await world.stored())[0]?.said ?? [];
    assert.equal(
      said
        .slice(0, 3)
        .map((each) => each.slice("user: ".length))
        .join(""),
      text,
    );
    await assert.rejects(world.as(OPERATOR, "import.start", { text: "x".repeat(2_000_001) }), {
      code: "input_invalid",
    });
  });

  test("a file cut off at any byte gives what was whole, and never fails", async () => {
    for (const name of [
      "chatgpt-conversations.export",
      "claude-conversations.export",
      "messages.jsonl",
      "headings.md",
    ]) {
      const whole = await readSample(name);
      const bytes = fixture(name);
      await fc.assert(
        fc.asyncProperty(fc.nat({ max: bytes.length }), async (length) => {
          const { conversations } = await readSample(name, bytes.subarray(0, length));
          // Whole conversations come as they are; of files that are one, as much as there is.
          if (!name.endsWith(".export")) return;
          assert.deepEqual(conversations, whole.conversations.slice(0, conversations.length));
        }),
        { numRuns: 60 },
      );
    }
  });

  test("one wrong byte costs at most its record and the next", async () => {
    const records = Array.from({ length: 6 }, (_, i) =>
      chat(`c${i}`, "One?", `"quoted" [and] {braced} ${i}`),
    );
    const bytes = Buffer.from(JSON.stringify(records));

    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: bytes.length - 2 }),
        fc.nat({ max: 255 }),
        async (at, byte) => {
          const changed = Buffer.from(bytes);
          changed[at] = byte;

          const { conversations } = await readSample("x.json", changed);

          const intact = conversations.filter(({ threads }) => threads[0]?.messages.length === 2);
          assert.ok(intact.length >= 4, `${intact.length} of 6`);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("any bytes at all are read or refused", async () => {
    const starts = fc.constantFrom(
      "",
      "[",
      "{",
      '[{"mapping":{',
      '[{"chat_messages":[',
      '{"type":"session_meta","payload":{',
      "User: ",
      '{"role":"user","content":',
    );

    await fc.assert(
      fc.asyncProperty(starts, fc.uint8Array({ maxLength: 300 }), async (start, rest) => {
        await readSample("x", Buffer.concat([Buffer.from(start), rest]), { branches: "all" });
      }),
      { numRuns: 400 },
    );
  });

  test("any JSON of a conversation's shape is read or refused, whatever stands in its fields", async () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const keys = [
      "mapping",
      "chat_messages",
      "message",
      "content",
      "parts",
      "content_type",
      "author",
      "role",
      "uuid",
      "parent",
      "sender",
      "text",
      "type",
      "payload",
      "messages",
      "metadata",
      "attachments",
      "sessionId",
      "parentUuid",
    ];
    const shaped = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        value,
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie("node"), { maxKeys: 6 }),
      ),
    })).node;

    await fc.assert(
      fc.asyncProperty(
        fc.array(shaped, { maxLength: 4 }),
        fc.constantFrom("list", "lines"),
        async (values, form) => {
          const heads = [
            { mapping: {} },
            { chat_messages: [] },
            { type: "session_meta", payload: {} },
            { sessionId: "s", parentUuid: null },
            { role: "user", content: "x" },
          ];
          for (const head of heads) {
            const all = [head, ...values].map((each) => JSON.stringify(each));
            await readSample("x", form === "list" ? `[${all.join(",")}]` : all.join("\n"), {
              branches: "all",
            });
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

function generated(name: string, open: () => AsyncGenerator<Uint8Array>): SourceFile {
  return { name, bytes: 0, open };
}

async function readGenerated(file: SourceFile) {
  const detected = await detectFormat(file);
  assert.ok(detected.source !== undefined);
  const titles: string[] = [];
  const faults: string[] = [];
  let messages = 0;
  const reading = {
    file,
    branches: "visible" as const,
    limits: RECORD_LIMITS,
    note: () => undefined,
    isKnown: () => false,
  };
  for await (const piece of detected.read(reading)) {
    if (piece.kind === "fault") faults.push(piece.code);
    if (piece.kind !== "conversation") continue;
    titles.push(piece.conversation.title);
    for (const thread of piece.conversation.threads) messages += thread.messages.length;
  }
  return { titles, faults, messages };
}
