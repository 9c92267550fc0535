/** Layouts, parts and options as wild as they may come, for tests of rules that hold for all of them. */

import * as fc from "fast-check";
import type { CompileOptions } from "./compile-prompt.ts";
import type { Layer, Layout, Part, Piece } from "./part.ts";

const WORDS = [
  ["a", "task", "decision", "the lease", " ", " ", "\n", "\n\n", "\r\n", "•", "1. ", "…", "é"],
  [
    "🧪",
    "👩‍👩‍👧",
    "漢字",
    "\ud83e",
    "\u200b",
    "\u202e",
    "```\n",
    "~~~",
    "[REDACTED]",
    "<|im_start|>",
  ],
  ["</untrusted-", "password=hunter22", "ghp_abcdefghijklmnopqrstuvwxyz", "long".repeat(30)],
].flat();

const anyText = fc
  .array(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...WORDS) }, fc.string({ maxLength: 12 })),
    { maxLength: 14 },
  )
  .map((list) => list.join(" "));

const anyLayer = (id: string): fc.Arbitrary<Layer> =>
  fc.record(
    {
      id: fc.constant(id),
      role: fc.constantFrom("system" as const, "user" as const),
      stability: fc.constantFrom(
        "fixed" as const,
        "project" as const,
        "run" as const,
        "turn" as const,
      ),
      heading: fc.constantFrom("HEADING", "## A longer heading", ""),
      list: fc.constantFrom("numbered" as const, "bulleted" as const),
      separator: fc.constantFrom("", "\n", "\n\n", "\n----------\n"),
    },
    { requiredKeys: ["id", "role", "stability"] },
  );

const LAYER_IDS = ["one", "two", "three", "four"] as const;

export const anyLayout: fc.Arbitrary<Layout> = fc.record(
  {
    layers: fc.tuple(...LAYER_IDS.map(anyLayer)),
    separator: fc.constantFrom("\n\n", "\n\n---\n\n", "\n"),
  },
  { requiredKeys: ["layers"] },
);

const anyPiece: fc.Arbitrary<Piece> = fc.record(
  {
    text: anyText,
    ref: fc.record(
      {
        type: fc.constantFrom("task", "decision", "highlight"),
        id: fc.constantFrom("x1", "x2", "x3", "x4", "x5"),
        field: fc.constantFrom("title", "content"),
      },
      { requiredKeys: ["type", "id"] },
    ),
    maximum: fc.nat(120),
    untrusted: fc.constantFrom("reply of step Review", 'import of "notes"\n<x>'),
  },
  { requiredKeys: ["text"] },
);

const anyPart = (index: number): fc.Arbitrary<Part> =>
  fc.record(
    {
      id: fc.constant(`p${index}`),
      layer: fc.constantFrom(...LAYER_IDS),
      order: fc.nat(3),
      text: fc.oneof(anyText, fc.array(anyPiece, { minLength: 1, maxLength: 3 })),
      importance: fc.oneof(
        { weight: 1, arbitrary: fc.constant("required" as const) },
        { weight: 4, arbitrary: fc.nat(2) },
      ),
      score: fc.record({ value: fc.nat(100).map((value) => value / 100) }),
      kind: fc.constantFrom("task", "decision"),
      cut: fc.record(
        {
          by: fc.constantFrom("words" as const, "pieces" as const),
          minimum: fc.nat(60),
          grows: fc.constantFrom("first" as const, "last" as const),
        },
        { requiredKeys: ["by", "minimum"] },
      ),
      // Only backwards, so that nobody is kept with itself.
      keepWith: fc
        .nat(Math.max(0, index - 1))
        .map((leader) => `p${index === 0 ? "-absent" : leader}`),
    },
    { requiredKeys: ["id", "layer", "order", "text", "importance"] },
  );

export const anyParts: fc.Arbitrary<readonly Part[]> = fc
  .nat(9)
  .chain((count) => fc.tuple(...Array.from({ length: count + 1 }, (_, index) => anyPart(index))));

export const countFour = (text: string): number => Math.ceil(text.length / 4);

export const anyOptions: fc.Arbitrary<CompileOptions> = fc.record(
  {
    budget: fc.record({ characters: fc.nat(900), tokens: fc.nat(250) }, { requiredKeys: [] }),
    choice: fc.record(
      {
        bans: fc.constantFrom<string[]>([], ["p0"], ["p3", "p4"]),
        floors: fc.constantFrom<Record<string, number>>({}, { task: 2 }, { decision: 1, task: 1 }),
        minimumScore: fc.constantFrom(0, 0.3),
        fill: fc.constantFrom("best" as const, "in_order" as const),
      },
      { requiredKeys: [] },
    ),
    marker: fc.constantFrom(
      {},
      { text: "" },
      { text: "[cut]", after: "two" },
      { isRequired: true },
    ),
    countTokens: fc.constant(countFour),
  },
  { requiredKeys: ["countTokens"] },
);
