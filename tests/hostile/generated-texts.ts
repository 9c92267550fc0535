/** Hostile texts in numbers, by category, made by crossing means with ways: the same every time. */

import { createDice } from "../../src/kernel/model/rehearsal-dice.ts";
import { HOSTILE_TEXTS, shownTexts } from "./corpus.ts";

type Category =
  | "strings"
  | "markup"
  | "mermaid"
  | "paths"
  | "JSON"
  | "templates"
  | "replies"
  | "refs";

/** How many there are at least of each. */
const SIZES: Readonly<Record<Category, number>> = {
  strings: 1200,
  markup: 5000,
  mermaid: 425,
  paths: 3000,
  JSON: 1100,
  templates: 600,
  replies: 900,
  refs: 600,
};

export function generatedTexts(): Readonly<Record<Category, readonly string[]>> {
  return {
    strings: grow(
      "strings",
      [
        ...HOSTILE_TEXTS.unicode,
        ...HOSTILE_TEXTS.control,
        ...HOSTILE_TEXTS.queries,
        ...HOSTILE_TEXTS.numbers,
        ...HOSTILE_TEXTS.names,
      ],
      MARKS,
    ),
    markup: grow("markup", [...shownTexts(), ...HOSTILE_TEXTS.markup], WRAPPINGS),
    mermaid: grow("mermaid", [...HOSTILE_TEXTS.mermaid, ...DRAWINGS], MARKS),
    paths: grow("paths", HOSTILE_TEXTS.paths, PATH_STEPS),
    JSON: grow("JSON", DOCUMENTS, MARKS),
    templates: grow(
      "templates",
      [...HOSTILE_TEXTS.templates, ...EXPRESSIONS],
      ["{{", "}}", "{{ ", ".__proto__", "[0]", "${", " && ", "'", '"', "\\"],
    ),
    replies: grow("replies", [...HOSTILE_TEXTS.replies, REPLY, ...everyCut(REPLY)], MARKS),
    refs: grow("refs", REFS, PATH_STEPS),
  };
}

const MARKS = [
  "\u0000",
  "\u202e",
  "\ufeff",
  "\ud800",
  "\r\n",
  "\u001b[2J",
  "%00",
  "'",
  '"',
  "`",
  "\\",
  "{{",
  "}}",
  "<!--",
  "__proto__",
  "e\u0301",
  "\u2028",
  "1e400",
];
const WRAPPINGS = [
  "<b>",
  "</b>",
  "> ",
  "- ",
  "```\n",
  "\n```",
  "| ",
  "# ",
  "<!--",
  "-->",
  "<![CDATA[",
  "&lt;",
  "\u200b",
  "<svg>",
  "<math>",
  "**",
  "[x](",
  ")",
];
const PATH_STEPS = [
  "../",
  "..\\",
  "./",
  "/",
  "%2e%2e/",
  "..%2f",
  "....//",
  "\u0000",
  "C:\\",
  "~/",
  "-",
  "--",
  ".git/",
  ".GIT/",
  ".jj/",
  "con",
  " ",
  ".",
  "\uff0e\uff0e/",
  "a".repeat(260),
];
const DRAWINGS = [
  "graph TD\n  A --> A",
  "graph TD\n  A[[Each: x]] --> B",
  "flowchart LR\n  A & B & C --> D & E & F",
  "graph TD\n  subgraph x\n  A\n",
  "graph TD\n  A -.-> B ==> C --o D --x E",
];
const DOCUMENTS = [
  '{"a":1}',
  "[[[[[[[[[[]]]]]]]]]]",
  '{"__proto__":{"owned":1}}',
  '{"a":1,"a":2}',
  '{"constructor":{"prototype":{"owned":1}}}',
  "1e400",
  "-0",
  '"\\ud800"',
  '{"a":',
  "[1,]",
  "{a:1}",
  "NaN",
  "// c\n{}",
  "[".repeat(5000),
  '{"a":'.repeat(2000),
  "9007199254740993",
  '"\u0000"',
  "true false",
  "\ufeff{}",
  "{'a':1}",
];
const EXPRESSIONS = [
  "output.status === 'approved'",
  "output.score >= 80 && !run.input.done",
  "output['__proto__']",
  "'a' in output",
  "output.status.length > 3",
  "((output))",
  "output.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q",
  "1 < 2 < 3",
  "!!!!output",
  "output = 1",
];
const REPLY =
  '## Status\nSUCCESS\n\n## Output\nAll done.\n\n## Metadata\n{"confidence": 0.9, "suggested_next_stage": "end"}\n\n## Issues\n- none\n';
const REFS = [
  "main",
  "--upload-pack=x",
  "-",
  "refs/heads/../../x",
  "a..b",
  "a@{1}",
  "a b",
  "a~1",
  "a^",
  "a:b",
  "a?",
  "a*",
  "a[",
  "a\\",
  ".a",
  "a.lock",
  "a/.b",
  "@",
  "HEAD",
  "a//b",
  "/a",
  "a/",
  "session: x",
  "intent: y",
];

function everyCut(text: string): readonly string[] {
  return Array.from({ length: text.length }, (_, at) => text.slice(0, at));
}

/** What there is, then what comes of putting means before, behind and inside it, until there are enough. */
function grow(
  category: Category,
  from: readonly string[],
  means: readonly string[],
): readonly string[] {
  const texts = new Set<string>(from);
  const dice = createDice(`${category.length}`.padStart(16, "0"));
  for (let tries = 0; texts.size < SIZES[category] && tries < SIZES[category] * 50; tries += 1) {
    const text = dice.pick(from) ?? "";
    const [first = "", second = ""] = [dice.pick(means), dice.pick(means)];
    const at = dice.below(text.length + 1);
    texts.add(`${first}${text.slice(0, at)}${second}${text.slice(at)}`);
  }
  return [...texts];
}
