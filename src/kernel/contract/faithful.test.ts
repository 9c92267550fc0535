/** The one promise that holds for every text: nothing is in an accepted value that the reply does not hold, unless the ledger says why. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import * as z from "zod";
import { defineContract } from "./contract.ts";
import { formatPath, type Path } from "./path.ts";
import { readReply } from "./read-reply.ts";
import type { Accepted } from "./reading.ts";

const contract = defineContract({
  name: "report",
  schema: z.object({
    status: z.enum(["SUCCESS", "PARTIAL", "FAILED"]),
    score: z.number(),
    note: z.string().nullable().optional(),
    items: z.array(
      z.object({ id: z.string(), title: z.string(), tags: z.array(z.string()).optional() }),
    ),
    metadata: z.object({ confidence: z.number() }).optional(),
  }),
  syntaxes: ["json", "sections"],
  sections: [
    { heading: "Status", field: "status", read: "word" },
    { heading: "Score", field: "score", read: "word" },
    { heading: "Note", field: "note", read: "text" },
    { heading: "Items", field: "items", read: "json" },
    { heading: "Metadata", field: "metadata", read: "pairs" },
  ],
});

const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    "it's",
    'say "hi"',
    "a, b",
    "x: y",
    "C:\\dir",
    "{x}",
    "[1]",
    "```",
    "null",
    "87",
    "🧪",
    "two\nlines",
    "SUCCESS",
  ),
);
const report = fc.record({
  status: fc.constantFrom("SUCCESS", "PARTIAL", "FAILED", "success", "It was partial."),
  score: fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom("87", "87/100"),
  ),
  note: fc.option(word),
  items: fc.array(fc.record({ id: word, title: word }), { maxLength: 3 }),
});

type Damage = (text: string, at: number) => string;
const damages: Damage[] = [
  (text) => text,
  (text) => `\`\`\`json\n${text}\n\`\`\``,
  (text) => `Here you are:\n${text}\nDone [1].`,
  (text) => text.replaceAll('"', "'"),
  (text) => text.replace(/"(\w+)":/g, "$1:"),
  (text) => text.replace(/([\]}])/g, ",$1"),
  (text) => text.replace(/\\"/g, '"'),
  (text) => text.replace(/\\n/g, "\n"),
  (text) => text.replace(/"([^"\\]*)"/g, "“$1”"),
  (text) => text.replaceAll("null", "None"),
  (text, at) => text.slice(0, at % (text.length + 1)) + text.slice((at % (text.length + 1)) + 1),
  (text, at) => text.slice(0, at % (text.length + 1)) + '"' + text.slice(at % (text.length + 1)),
  (text, at) => text.slice(0, at % (text.length + 1)),
  (text, at) => text.slice(at % (text.length + 1)) + text,
  (text) => text.replace("{", "{ // start\n"),
];

function writeSections(value: {
  status: string;
  score: unknown;
  items: unknown;
  note: string | null;
}): string {
  return `## Status\n${value.status}\n\n## Score\n${String(value.score)}\n\n## Note\n${value.note ?? "-"}\n\n## Items\n\`\`\`json\n${JSON.stringify(value.items)}\n\`\`\`\n\n## Metadata\nconfidence: 0.5\n`;
}

function* leaves(value: unknown, path: Path): Generator<[unknown, Path]> {
  if (value === null || typeof value !== "object") yield [value, path];
  else
    for (const [key, inner] of Object.entries(value))
      yield* leaves(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

/** As JSON, as it is, or with some of its escapes written raw. */
function isInText(leaf: unknown, text: string): boolean {
  if (typeof leaf === "number") return numbersIn(text).has(leaf);
  const plain = String(leaf);
  const escaped = JSON.stringify(plain).slice(1, -1);
  const loose = (given: string) =>
    given
      .replaceAll("\\n", "\n")
      .replaceAll('\\"', '"')
      .replaceAll("\\'", "'")
      .replaceAll("\\\\", "\\");
  return (
    [plain, escaped].some((form) => text.includes(form)) || loose(text).includes(loose(escaped))
  );
}

function numbersIn(text: string): Set<number> {
  return new Set(
    [...text.matchAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)].map(([written]) => Number(written)),
  );
}

function isExplained(reading: Accepted<unknown>, path: Path): boolean {
  const where = formatPath(path);
  return reading.repairs.some(
    (repair) =>
      where.startsWith(repair.path) && ["coerce", "validate", "sections"].includes(repair.step),
  );
}

test("every leaf of an accepted value stands in the text, or the ledger says why", () => {
  let accepted = 0;
  const steps = fc.array(fc.tuple(fc.constantFrom(...damages), fc.nat(2_000)), { maxLength: 3 });
  fc.assert(
    fc.property(report, fc.boolean(), steps, (value, asSections, damage) => {
      const written = asSections ? writeSections(value) : JSON.stringify(value);
      const text = damage.reduce((so, [hurt, at]) => hurt(so, at), written);
      const reading = readReply(contract, text, { finish: "stop" });
      if (!reading.ok) {
        assert.ok(reading.problems.length > 0);
        return;
      }
      accepted += 1;
      for (const [leaf, path] of leaves(reading.value, [])) {
        if (leaf === null || leaf === undefined || typeof leaf === "boolean") continue;
        assert.ok(
          isInText(leaf, text) || isExplained(reading, path),
          `${formatPath(path)} = ${JSON.stringify(leaf)} is not in ${JSON.stringify(text)}; ledger ${JSON.stringify(reading.repairs)}`,
        );
      }
    }),
    { numRuns: 6_000 },
  );
  assert.ok(accepted > 1_000, `only ${accepted} were accepted`);
});

interface Handwriting {
  readonly quotes: readonly [string, string];
  readonly escapesQuotes: boolean;
  readonly escapesLines: boolean;
  readonly bareKeys: boolean;
  readonly trailingCommas: boolean;
  readonly commas: boolean;
  readonly python: boolean;
  readonly comments: boolean;
}

/** JSON as a careless hand writes it: the structure is all there, the marks are not. */
function scribble(value: unknown, hand: Handwriting): string {
  if (value === null) return hand.python ? "None" : "null";
  if (typeof value === "string") return scribbleText(value, hand);
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((item) => scribble(item, hand))
    : Object.entries(value).map(
        ([key, inner]) =>
          `${hand.bareKeys ? key : scribbleText(key, hand)}: ${scribble(inner, hand)}`,
      );
  const end = hand.trailingCommas && parts.length > 0 ? "," : "";
  return `${open}${hand.comments ? " // so\n" : ""}${parts.join(hand.commas ? ", " : "\n")}${end}${close}`;
}

function scribbleText(
  text: string,
  { quotes: [open, close], escapesQuotes, escapesLines }: Handwriting,
): string {
  const slashed = text.replaceAll("\\", "\\\\");
  const quoted = escapesQuotes
    ? slashed
        .replaceAll(close, `\\${close}`)
        .replaceAll(open, `\\${open}`)
        .replaceAll(`\\\\${open}`, `\\${open}`)
    : slashed;
  return `${open}${escapesLines ? quoted.replaceAll("\n", "\\n") : quoted}${close}`;
}

test("what was badly written and is accepted is what was meant", () => {
  const said = fc.constantFrom(
    "it's",
    "John's and Mary's",
    'say "hi" now',
    'both "a" and "b"',
    '"all of it"',
    'ends with "this"',
    '"Begin" so',
    'a "b", "c" d',
    'key "x": y',
    "a, b",
    "x: y",
    "C:\\dir",
    "{x}",
    "[1]",
    "}",
    "]",
    "```",
    "null",
    "None",
    "True",
    "🧪",
    "two\nlines",
    "// no comment",
    "/* nor */ this",
    "…",
    "...",
    '5" pipe',
    "",
    " ",
  );
  const meant = fc.record(
    {
      status: fc.constantFrom("SUCCESS", "PARTIAL", "FAILED"),
      score: fc.integer({ min: -5, max: 500 }),
      note: fc.option(said),
      items: fc.array(
        fc.record(
          { id: said, title: said, tags: fc.array(said, { maxLength: 3 }) },
          { noNullPrototype: true },
        ),
        { maxLength: 3 },
      ),
    },
    { noNullPrototype: true },
  );
  const rarely = fc.integer({ min: 0, max: 4 }).map((roll) => roll === 0);
  const mostly = rarely.map((is) => !is);
  const hand = fc.record({
    quotes: fc.constantFrom<[string, string]>(['"', '"'], ['"', '"'], ["'", "'"], ["“", "”"]),
    escapesQuotes: mostly,
    escapesLines: mostly,
    bareKeys: rarely,
    trailingCommas: rarely,
    commas: mostly,
    python: rarely,
    comments: rarely,
  });
  const counts = { accepted: 0, repaired: 0 };
  fc.assert(
    fc.property(meant, hand, fc.constantFrom("", "Here you are:\n"), (value, marks, lead) => {
      const text = lead + scribble(value, marks);
      const reading = readReply(contract, text, { finish: "stop" });
      if (!reading.ok) return;
      counts.accepted += 1;
      if (reading.repairs.some(({ step }) => step === "repair")) counts.repaired += 1;
      assert.deepEqual(reading.value, value, `${text}\n${JSON.stringify(reading.repairs)}`);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(counts.accepted > 1_500 && counts.repaired > 400, JSON.stringify(counts));
});

test("reading never throws, whatever the text", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      "'",
      ":",
      ",",
      "\\",
      "\n",
      "```",
      "```json\n",
      "## Status\n",
      "**Score**",
      "SUCCESS",
      "null",
      "1e5",
      "__proto__",
      "<think>",
      "</think>",
      "//",
      "/*",
      "\\u12",
      "\ud83e",
      "…",
      "- ",
    ),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }),
      fc.constantFrom("stop", "length"),
      (pieces, finish) => {
        const reading = readReply(contract, pieces.join(""), { finish });
        assert.ok(reading.ok || reading.problems.length > 0);
      },
    ),
    { numRuns: 6_000 },
  );
});

test("a JSON value is read as itself: any report that meets the contract, in either writing", () => {
  const exact = fc.record({
    status: fc.constantFrom("SUCCESS", "PARTIAL", "FAILED"),
    score: fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((n) => (Object.is(n, -0) ? 0 : n)),
    items: fc.array(
      fc.record({ id: fc.string({ unit: "binary" }), title: fc.string({ unit: "binary" }) }),
    ),
  });
  fc.assert(
    fc.property(exact, fc.constantFrom(0, 2), fc.boolean(), (value, indent, fenced) => {
      const json = JSON.stringify(value, null, indent);
      fc.pre(!/\d{16}/.test(json.replace(/"(?:[^"\\]|\\.)*"/g, "").replace(/\.\d+/g, "")));
      const reading = readReply(contract, fenced ? `\`\`\`json\n${json}\n\`\`\`` : json, {
        finish: "stop",
      });
      assert.ok(reading.ok, JSON.stringify(reading));
      assert.deepEqual(reading.value, JSON.parse(json));
    }),
    { numRuns: 1_000 },
  );
});
