import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as z from "zod";
import { defineContract } from "./contract.ts";
import { readReply } from "./read-reply.ts";
import type { FailureKind, Reading } from "./reading.ts";

const review = defineContract({
  name: "review",
  schema: z.object({
    status: z.enum(["SUCCESS", "PARTIAL", "FAILED"]),
    score: z.number(),
    items: z.array(z.object({ id: z.string(), title: z.string() })),
  }),
});
type Review = z.output<typeof review.schema>;

const GOOD: Review = {
  status: "SUCCESS",
  score: 87,
  items: [
    { id: "a", title: "One" },
    { id: "b", title: "Two" },
  ],
};
const TEXT = JSON.stringify(GOOD);
const EXAMPLE = JSON.stringify({
  status: "FAILED",
  score: 1,
  items: [{ id: "x", title: "Example" }],
});

function read(text: string, finish: string = "stop", rawFinish?: string): Reading<Review> {
  return readReply(review, text, { finish, rawFinish });
}

function assertRead(reading: Reading<Review>, loss: string, value: Review = GOOD): void {
  assert.ok(reading.ok, reading.ok ? "" : JSON.stringify(reading.problems));
  assert.deepEqual(reading.value, value);
  assert.equal(reading.loss, loss);
  if (loss !== "none") assert.ok(reading.repairs.length > 0);
}

function assertRefused(reading: Reading<Review>, failure: FailureKind, path?: string): void {
  assert.equal(reading.ok, false);
  assert.equal(reading.failure, failure);
  assert.ok(reading.problems.length > 0);
  if (path !== undefined) assert.ok(reading.problems.some((problem) => problem.path === path));
}

describe("the table of near misses", () => {
  test("plain JSON is read with nothing in the ledger", () => {
    const reading = read(TEXT);

    assertRead(reading, "none");
    assert.deepEqual(reading.repairs, []);
  });

  const syntactic: Record<string, string> = {
    "in a fence": `\`\`\`json\n${TEXT}\n\`\`\``,
    "in a fence that was never closed": `\`\`\`json\n${TEXT}`,
    "in a fence on one line": `\`\`\`json ${TEXT} \`\`\``,
    "with prose around, brackets in it": `Sure {really}, as in [1]:\n${TEXT}\nHope it's fine {x}.`,
    "with a trailing comma": TEXT.replace("]}", ",],}"),
    "with comments": TEXT.replace('"score"', '/* of 100 */ "score"').replace(
      "{",
      "{ // the review\n",
    ),
    "in single quotes": TEXT.replaceAll('"', "'"),
    "in smart quotes": TEXT.replace(/"([^"]*)"/g, "“$1”"),
    "with bare keys": TEXT.replace(/"(\w+)":/g, "$1:"),
    "with a missing comma": TEXT.replace("87,", "87 "),
  };
  for (const [name, text] of Object.entries(syntactic)) {
    test(`an answer ${name} is read, and the ledger says so`, () => {
      assertRead(read(text), "syntactic");
    });
  }

  test("an unescaped quote inside a text is kept as part of it", () => {
    const reading = read(TEXT.replace("One", 'the "One" thing'));

    const items = [{ id: "a", title: 'the "One" thing' }, ...GOOD.items.slice(1)];
    assertRead(reading, "syntactic", { ...GOOD, items });
    assert.equal(reading.repairs[0]?.path, "items[0].title");
    assert.equal(reading.repairs[0]?.offset, TEXT.indexOf("One") + 3);
  });

  test("raw line breaks and tabs inside a text are kept as such", () => {
    const items = [{ id: "a", title: "One\n\ttwo" }, ...GOOD.items.slice(1)];

    assertRead(read(TEXT.replace("One", "One\n\ttwo")), "syntactic", { ...GOOD, items });
  });

  const coerced: Record<string, string> = {
    "with a number in quotes": TEXT.replace("87", '"87"'),
    "with a choice in the wrong case": TEXT.replace("SUCCESS", "Success"),
    "with a choice inside prose": TEXT.replace("SUCCESS", "It was a full success."),
    "inside a list of one": `[${TEXT}]`,
    "inside an envelope": `{"review": ${TEXT}}`,
    "as JSON inside a text": TEXT.replace(/\[.*\]/, JSON.stringify(JSON.stringify(GOOD.items))),
    "with keys in another case": TEXT.replace('"status"', '"Status"'),
    "with a key that is not part of it": TEXT.replace("{", '{"mood":"fine",'),
  };
  for (const [name, text] of Object.entries(coerced)) {
    test(`an answer ${name} is read, and the ledger says so`, () => {
      assertRead(read(text), "coerced");
    });
  }

  test("an object where a list belongs is read as a list of one", () => {
    const text = TEXT.replace(/\[.*\]/, '{"id":"a","title":"One"}');

    assertRead(read(text), "coerced", { ...GOOD, items: GOOD.items.slice(0, 1) });
  });

  test("Python's constants are read, and unknown keys beside them are left out by name", () => {
    const reading = read(TEXT.replace("}]}", '}], "draft": True, "note": None}'));

    assertRead(reading, "coerced");
    assert.ok(reading.repairs.some(({ before, after }) => before === "None" && after === "null"));
    assert.deepEqual(
      reading.repairs.filter(({ step }) => step === "validate").map(({ path }) => path),
      ["draft", "note"],
    );
  });

  const refusedAt: Record<string, [string, string]> = {
    "a fraction for a number": [TEXT.replace("87", '"87/100"'), "score"],
    "a percentage for a number": [TEXT.replace("87", '"87%"'), "score"],
    "a number with leading zeros": [TEXT.replace("87", '"007"'), "score"],
    "a denied choice": [TEXT.replace("SUCCESS", "not a success"), "status"],
    "two choices at once": [TEXT.replace("SUCCESS", "SUCCESS or PARTIAL"), "status"],
    "a missing list": ['{"status":"SUCCESS","score":87}', "items"],
    "null for a list": [TEXT.replace(/\[.*\]/, "null"), "items"],
    "an ellipsis instead of items": [TEXT.replace(/\[.*\]/, "[...]"), "items[0]"],
    "a bracket that was forgotten": [TEXT.replace("]}", "}"), ""],
    "a value that was forgotten": [TEXT.replace("87", ""), "score"],
    "a bare fraction": [TEXT.replace("87", "87/100"), ""],
    "an apostrophe that ends a text too early": [
      TEXT.replaceAll('"', "'").replace("One", "it's"),
      "items[0].title",
    ],
    "a lone quote inside a text": [TEXT.replace("One", '5" pipe'), "items[0].title"],
    "a whole number too large to keep": [TEXT.replace("87", "12345678901234567890"), "score"],
  };
  for (const [name, [text, path]] of Object.entries(refusedAt)) {
    test(`${name} is refused, not guessed`, () => {
      const reading = read(text);

      assertRefused(reading, "invalid");
      assert.ok(
        path === "" ||
          reading.ok ||
          reading.problems.some((problem) => problem.path.startsWith(path.split("[")[0]!)),
        JSON.stringify(reading),
      );
    });
  }

  test("of an example and a final answer, the final one is taken and the rule is stated", () => {
    const reading = read(`For example:\n${EXAMPLE}\nNow the answer:\n${TEXT}\nDone.`);

    assertRead(reading, "syntactic");
    assert.match(
      reading.repairs[0]!.sentence,
      /Of 2 JSON values the last that has this contract's fields/,
    );
  });

  test("a valid example never stands in for a final answer that fails or was cut", () => {
    const broken = TEXT.replace("87", '"87/100"');

    assertRefused(read(`For example: ${EXAMPLE}\nAnswer: ${broken}`), "invalid", "score");
    assertRefused(read(`For example: ${EXAMPLE}\nAnswer: ${TEXT.slice(0, 50)}`), "truncated");
    assertRefused(
      read(`For example: ${EXAMPLE}\nAnswer: {"status":"FAILED","score":2}`),
      "invalid",
      "items",
    );
  });

  test("JSON that is no attempt at the answer does not displace it", () => {
    const reading = read(`${TEXT}\n\nI used the settings {"temperature": 0.2} and the list ["a"].`);

    assertRead(reading, "syntactic");
  });

  test("an echo of the prompt's example is not an answer", () => {
    const echo =
      '{"status":"SUCCESS","score":1,"items":[{"id":"<id here>","title":"<title here>"}]}';

    assertRefused(read(echo), "invalid", "items[0].id");
    assertRead(read(`${TEXT}\nThe form was ${echo}`), "syntactic");
  });

  test("fences inside JSON texts are content, also inside a fence", () => {
    const value = { ...GOOD, items: [{ id: "a", title: "```js\nlet x = {\n```" }] };

    assertRead(read(JSON.stringify(value)), "none", value);
    assertRead(read(`\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``), "syntactic", value);
  });

  test("thinking written into the text is left aside, also when it holds JSON", () => {
    assertRead(read(`<think>maybe ${EXAMPLE}</think>\n${TEXT}`), "none");
  });
});

describe("failures have four kinds", () => {
  test("prose without an answer is no payload, footnotes and braces notwithstanding", () => {
    assertRefused(read("I could not do this [1], see {appendix}."), "no_payload");
  });

  test("no text is empty, whatever the reason given", () => {
    assertRefused(read("", "length"), "empty");
    assertRefused(read(" \n", "stop"), "empty");
    assertRefused(read("<think>still thinking", "length"), "empty");
  });

  for (const reason of [
    "length",
    "max_tokens",
    "MAX_TOKENS",
    "content_truncated",
    "token_limit",
    "content-filter",
  ]) {
    test(`${reason} means cut short, also when only the raw reason says so`, () => {
      assertRefused(read(`Here: ${TEXT}`, reason), "truncated");
      assertRefused(read(`Here: ${TEXT}`, "other", reason), "truncated");
    });
  }

  test("a closed answer that is the whole reply is accepted in spite of a reported cut", () => {
    const reading = read(TEXT, "length");

    assertRead(reading, "none");
    assert.match(reading.repairs[0]!.sentence, /reported a cut/);
    assertRead(read(`\`\`\`json\n${TEXT}\n\`\``, "length"), "syntactic");
  });

  test("a cut gives what was complete, and the open place with its text", () => {
    const reading = read(TEXT.slice(0, TEXT.indexOf("Two") + 2), "length");

    assertRefused(reading, "truncated", "items[1].title");
    assert.ok(!reading.ok);
    assert.deepEqual(reading.partial, { ...GOOD, items: [GOOD.items[0], { id: "b" }] });
    assert.deepEqual(reading.open, { path: ["items", 1, "title"], text: "Tw" });
    assert.equal(reading.loss, "lossy");
  });

  test("a cut that nobody reported is found by its open brackets", () => {
    assertRefused(read(`\`\`\`json\n${TEXT.slice(0, -20)}\n`), "truncated");
    assertRefused(read(`${TEXT}\n\nAnd corrected:\n\`\`\`json\n{`), "truncated");
  });
});

describe("every prefix of an answer", () => {
  const document = JSON.stringify(
    {
      status: "PARTIAL",
      score: 12.5e1,
      items: [
        { id: "first-item", title: 'Say "hello" to \\ the } world ] 🧪' },
        { id: "second-item", title: "Numbers 1, 2, 3 and true, false, null" },
        { id: "third-item", title: "```json\n{}\n```" },
        { id: "fourth-item", title: "Ünïcödé \u2028 line" },
      ],
    },
    null,
    1,
  );
  const value = JSON.parse(document) as Review;
  const forms: Record<string, string> = {
    plain: document,
    fenced: `\`\`\`json\n${document}\n\`\`\`\n`,
    "in prose": `Certainly, here it comes:\n\n${document}\n\nThat is all.`,
    "with a trailing comma": document.replace(/\n \]\n\}$/, ",\n ],\n}"),
    "in single quotes": document.replaceAll("'", "").replaceAll('\\"', "").replaceAll('"', "'"),
    "with bare keys": document.replace(/"(\w+)":/g, "$1:"),
  };

  for (const [name, text] of Object.entries(forms)) {
    test(`${name} (${text.length} characters): only the whole value passes as whole`, () => {
      const whole = read(text);
      assert.ok(whole.ok, JSON.stringify(whole));

      for (let cut = 0; cut < text.length; cut += 1) {
        for (const finish of ["stop", "length"]) {
          const reading = read(text.slice(0, cut), finish);
          if (reading.ok) assert.deepEqual(reading.value, whole.value, `cut at ${cut}`);
          else assert.notEqual(reading.failure, cut === 0 ? "truncated" : "empty");
        }
      }
    });
  }

  test("after an example with the reported cut: never the example", () => {
    const text = `For example:\n${EXAMPLE}\nAnswer:\n${document}`;
    for (let cut = 1; cut < text.length; cut += 1) {
      assertRefused(read(text.slice(0, cut), "length"), "truncated");
    }
    assertRead(read(text), "syntactic", value);
  });
});

describe("hostile replies", () => {
  test("keys that reach prototypes are inert, left out and noted, however they are spelled", () => {
    for (const key of ["__proto__", "constructor", "prototype", "__proto\\u005f_"]) {
      const reading = read(TEXT.replace('"id":"a"', `"id":"a","${key}":{"polluted":"yes"}`));

      assertRead(reading, "coerced");
      assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
      assert.ok(
        reading.repairs.some(({ sentence }) => sentence.includes("reserved")),
        key,
      );
    }
  });

  test("such keys do not survive in open records either, also after repair and inside texts", () => {
    const open = defineContract({
      name: "open",
      schema: z.object({ data: z.record(z.string(), z.unknown()) }),
    });
    const bad = '{"data":{"__proto__":{"x":1},"constructor":{"y":2},"fine":3}}';
    for (const text of [
      bad,
      bad.replaceAll('"', "'"),
      JSON.stringify({ data: JSON.parse(bad).data && bad.slice(8, -1) }),
    ]) {
      const reading = readReply(open, text, { finish: "stop" });

      assert.ok(reading.ok, text);
      assert.deepEqual(Object.keys(reading.value.data), ["fine"]);
      assert.equal((reading.value.data as { x?: number }).x, undefined);
    }
  });

  test("a key written twice is noted with its place, the last counts", () => {
    const reading = read(TEXT.replace('"score":87', '"score":1,"score":87'));

    assertRead(reading, "coerced");
    const [note] = reading.repairs;
    assert.deepEqual([note?.path, note?.before], ["score", "1"]);
    assert.equal(note?.offset, TEXT.indexOf('"score"') + '"score":1,'.length);
  });

  test("depth and size are bounded, with a problem that says so", () => {
    const deep = read(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`);
    const unclosed = read("[".repeat(100_000));
    const repaired = read(
      `{'status': ${"[".repeat(20_000)}${"]".repeat(20_000)}, 'items': 1, 'score': 2}`,
    );
    const large = read(`{"status":"${"x".repeat(2 * 1024 * 1024)}"}`);
    const wide = read(`{"status":"${"界".repeat(700 * 1024)}"}`);

    for (const reading of [deep, unclosed, repaired]) {
      assert.equal(reading.ok || reading.problems[0]?.code, "too_deep");
    }
    for (const reading of [large, wide]) {
      assert.equal(reading.ok || reading.problems[0]?.code, "too_large");
    }
  });

  test("the ledger stays bounded and says how much it left out", () => {
    const items = Array.from({ length: 2_000 }, () => '{"id":"a","title":"b",}').join(",");

    const reading = read(`{"status":"SUCCESS","score":1,"items":[${items}]}`);

    assert.ok(reading.ok);
    assert.equal(reading.value.items.length, 2_000);
    assert.equal(reading.repairs.length, 501);
    assert.match(reading.repairs.at(-1)!.sentence, /^1500 more repairs/);
  });

  test("broken JSON that is too long to be repaired safely is named as such", () => {
    const reading = read(
      `{"status":"SUCCESS","score":1,"items":[],"x":${'"a" b '.repeat(30_000)}"}`,
    );

    assertRefused(reading, "invalid");
    assert.match(reading.ok ? "" : reading.problems[0]!.message, /too long to be repaired/);
  });

  test("long broken JSON without stray quotes is repaired all the same", () => {
    const items = Array.from({ length: 4_000 }, (_, i) => `{'id':'i${i}','title':'Title ${i}'}`);

    const reading = read(`{'status':'SUCCESS','score':1,'items':[${items.join(",")}]}`);

    assert.ok(reading.ok);
    assert.equal(reading.value.items.length, 4_000);
  });

  test("no shape of text takes more than linear time", () => {
    const shapes = {
      "open braces": '{"a": '.repeat(170_000),
      "open brackets": "[".repeat(1_000_000),
      quotes: `{${'"'.repeat(1_000_000)}`,
      "prose in braces": "{ [ x ] } ".repeat(100_000),
      "texts over lines": '{"a": "b\n'.repeat(100_000),
      "stray quotes": `{"status":${'"x" y '.repeat(160_000)}"}`,
      backslashes: `{"status":"${"\\".repeat(1_000_000)}`,
      spaces: `{"status":${" ".repeat(1_000_000)}`,
      fences: "```\n".repeat(250_000),
    };
    for (const [name, text] of Object.entries(shapes)) {
      // Of the processor, not of the clock: the machine may be busy. What is not linear takes minutes.
      const before = process.cpuUsage();
      const reading = read(text);
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1000;

      assert.equal(reading.ok, false, name);
      assert.ok(ms < 3_000, `${name} took ${ms} ms`);
    }
  });
});

test("one megabyte of valid JSON is read in well under half a second", (t) => {
  const items = Array.from({ length: 16_000 }, (_, i) => ({
    id: `i${i}`,
    title: `Title number ${i} and some words`,
  }));
  const text = JSON.stringify({ status: "SUCCESS", score: 1, items });
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now();
    assert.ok(read(text).ok);
    return performance.now() - started;
  });

  t.diagnostic(
    `${(text.length / 1024 / 1024).toFixed(2)} MB in ${Math.min(...times).toFixed(1)} ms (best), ${Math.max(...times).toFixed(1)} ms (worst)`,
  );
  assert.ok(Math.min(...times) < 500);
});

describe("a contract for a list", () => {
  const list = defineContract({
    name: "list",
    schema: z.array(z.object({ id: z.string(), n: z.number() })),
  });

  test("takes the list out of prose, and one item for a list of one", () => {
    const inProse = readReply(list, 'See [1]: [{"id":"a","n":1},] and [2].', { finish: "stop" });
    const single = readReply(list, '{"id":"a","n":"1"}', { finish: "stop" });

    assert.deepEqual(inProse.ok && inProse.value, [{ id: "a", n: 1 }]);
    assert.deepEqual(single.ok && single.value, [{ id: "a", n: 1 }]);
  });
});

describe("a contract for one of several forms", () => {
  const either = defineContract({
    name: "either",
    schema: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("answer"), text: z.string() }),
      z.object({ kind: z.literal("question"), options: z.array(z.string()) }),
    ]),
  });

  test("takes either, and says what is wrong with the one that was meant", () => {
    const good = readReply(either, 'So: {"kind":"question","options":["a"]}', { finish: "stop" });
    const bad = readReply(either, '{"kind":"question","options":null}', { finish: "stop" });
    const other = readReply(either, '{"kind":"essay","text":"x"}', { finish: "stop" });

    assert.ok(good.ok);
    assert.deepEqual(!bad.ok && bad.problems.map(({ path }) => path), ["options"]);
    assert.deepEqual(!other.ok && other.problems.map(({ path, code }) => [path, code]), [
      ["kind", "not_allowed"],
    ]);
  });
});

describe("a contract for one value", () => {
  const verdict = defineContract({ name: "verdict", schema: z.enum(["yes", "no"]) });
  const essay = defineContract({ name: "essay", schema: z.string().min(1) });

  test("takes a word bare, quoted, in JSON or in a sentence", () => {
    for (const text of ["yes", ' "yes"\n', "Yes.", "My verdict is yes."]) {
      const reading = readReply(verdict, text, { finish: "stop" });

      assert.ok(reading.ok, text);
      assert.equal(reading.value, "yes");
    }
  });

  test("takes text as it stands, also when it is JSON itself, and never a cut one", () => {
    for (const text of ["Some prose, [1] and all.", '{"a": 1}', "[1, 2]", "42", "true"]) {
      const reading = readReply(essay, text, { finish: "stop" });

      assert.deepEqual(reading, { ok: true, value: text, repairs: [], loss: "none" });
      assert.equal(readReply(essay, text, { finish: "length" }).ok, false);
    }
  });
});

describe("a contract that takes any text", () => {
  const letter = defineContract({
    name: "letter",
    schema: z.object({ answer: z.string().min(1), steps: z.array(z.string()).optional() }),
    sections: [
      { heading: "Answer", field: "answer", read: "text" },
      { heading: "Next steps", field: "steps", read: "list" },
    ],
    textAs: "answer",
  });

  test("reads its sections where they are", () => {
    const reading = readReply(letter, "## Answer\nLeases.\n\n## Next steps\n- Try it", {
      finish: "stop",
    });

    assert.deepEqual(reading.ok && reading.value, { answer: "Leases.", steps: ["Try it"] });
  });

  test("takes prose, other JSON and an open fence as they are, and says so", () => {
    for (const text of ["Just use leases.", '```json\n{"tasks": []}\n```', "Try:\n```sh\nls"]) {
      const reading = readReply(letter, `${text}\n`, { finish: "stop" });

      assert.deepEqual(reading.ok && reading.value, { answer: text });
      assert.match(reading.repairs.at(-1)?.sentence ?? "", /whole reply was taken as the `answer`/);
    }
  });

  test("never takes a cut one for whole, nor an empty one", () => {
    const cut = readReply(letter, "Just use", { finish: "length" });
    const empty = readReply(letter, " \n", { finish: "stop" });

    assert.equal(!cut.ok && cut.failure, "truncated");
    assert.equal(!empty.ok && empty.failure, "empty");
  });
});
