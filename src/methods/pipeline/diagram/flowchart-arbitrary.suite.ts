/** Flowcharts by chance, as texts that mermaid accepts, in all the ways people write them. */

import fc from "fast-check";

const id = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("A", "B", "C", "D", "E", "F", "G", "H") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "step_1",
      "review-file",
      "a.b",
      "2nd",
      "42",
      "Ünder",
      "日本",
      "default",
      "v",
      "my-end",
      "a,b",
      "x:y",
      "Graph",
      "endless",
      "p%q",
    ),
  },
);

const plainWord = fc
  .stringMatching(/^[A-Za-z0-9 ,.:;!'<>=&%*+_][A-Za-z0-9 ,.:;!?'<>=&%*+/_-]{0,11}[A-Za-z0-9.!]$/)
  .filter(isTame);
const anyWord = fc
  .string({
    unit: fc.constantFrom(..."abc XYZ012 ,.;:!?'<>=&%*+/_-[](){}|#\n\t\\~`é日".split("")),
    minLength: 1,
    maxLength: 16,
  })
  .map((text) => `x${text}`)
  .filter(isTame);

/** What mermaid itself reads in ways that nobody means is left out here; it has tests of its own. */
function isTame(text: string): boolean {
  return !/direction|%%|#\w+;|<\w|style|classDef/.test(text) && text.trim() !== "";
}

const entityWord = fc
  .tuple(fc.constantFrom("say ", "", "1 "), fc.constantFrom("#quot;", "#35;", "#gt;", "#9829;"))
  .map(([before, entity]) => `${before}${entity}z`);

const label = fc.oneof(
  plainWord,
  fc.oneof(anyWord, entityWord).map((text) => `"${text}"`),
  plainWord.map((text) => `"\`${text.replaceAll("`", "")}\`"`),
);

const BRACKETS = [
  ["[", "]"],
  ["(", ")"],
  ["{", "}"],
  ["[[", "]]"],
  ["([", "])"],
  ["[(", ")]"],
  ["((", "))"],
  ["(((", ")))"],
  ["{{", "}}"],
  [">", "]"],
] as const;

/** Brackets that slashes belong to are only met with quoted labels. */
const SLANTED = [
  ["[/", "/]"],
  ["[\\", "\\]"],
  ["[/", "\\]"],
  ["[\\", "/]"],
  ["(-", "-)"],
] as const;

const body = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...BRACKETS), label)
      .map(([[open, close], text]) => open + text + close),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...SLANTED), anyWord)
      .map(([[open, close], text]) => `${open}"${text}"${close}`),
  },
);

const mention = fc
  .tuple(id, body, fc.constantFrom("", "", "", ":::warm"))
  .map(([name, brackets, look]) => name + brackets + look);

const group = fc.oneof(
  { weight: 4, arbitrary: mention },
  {
    weight: 1,
    arbitrary: fc
      .array(mention, { minLength: 2, maxLength: 3 })
      .map((mentions) => mentions.join(" & ")),
  },
);

const ARROWS = [
  "-->",
  "--->",
  "---",
  "==>",
  "===>",
  "===",
  "-.->",
  "-..->",
  "-.-",
  "--x",
  "--o",
  "<-->",
  "o--o",
  "x--x",
  "<==>",
  "~~~",
] as const;

const middle = fc
  .stringMatching(/^[A-Za-z0-9 ,:;!?'()[\]|&%+/_]{0,12}[A-Za-wyz0-9!?]$/)
  .filter((text) => isTame(text) && !/[xo]$/.test(text));

const link = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ARROWS).map((arrow) => ` ${arrow} `) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...ARROWS), label, fc.constantFrom("", " "), fc.constantFrom("", " "))
      .map(([arrow, text, before, after]) => ` ${arrow}${before}|${text}|${after}`),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom(["--", "-->"], ["--", "---"], ["==", "==>"], ["-.", ".->"]),
        fc.oneof(
          middle,
          middle.map((text) => `"${text}"`),
        ),
      )
      .map(([[first, second], text]) => ` ${first} ${text} ${second} `),
  },
  { weight: 1, arbitrary: fc.constantFrom("-->", "\n-->", "-->\n", " \n --> \n ", "==>", "-.->") },
);

const chain = fc
  .tuple(group, fc.array(fc.tuple(link, group), { maxLength: 2 }))
  .map(([first, rest]) => first + rest.map(([arrow, next]) => arrow + next).join(""));

const comment = fc.constantFrom(
  "%% a comment",
  "%%another; with --> signs",
  '%% @A: { "stepType": "task" }',
);

const looks = fc.constantFrom(
  "classDef warm fill:#f96",
  "class A warm",
  "style A stroke-width:4px",
  'click A "https://example.com" "tip"',
  "accTitle: A chart",
  "accDescr { of\nsome steps }",
);

const statement: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: chain },
  { weight: 1, arbitrary: comment.map((text) => `\n${text}\n`) },
  // Looks name A, which the first statement draws: mermaid would add nodes for unknown ids.
  { weight: 1, arbitrary: looks.map((text) => `\n${text}\n`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("one", "two [A title]", '"Quoted title"', "several words here"),
        fc.constantFrom("", "\ndirection LR"),
        fc.array(chain, { minLength: 1, maxLength: 1 }),
      )
      .map(
        ([name, direction, inside]) => `subgraph ${name}${direction}\n${inside.join("\n")}\nend`,
      ),
  },
);

const separator = fc.constantFrom("\n", "\n\n", "\n    ", ";", " ;\n", "\n\t");

const header = fc.constantFrom(
  "graph TD\n",
  "graph LR;",
  "flowchart TB\n",
  "flowchart RL \n",
  "graph BT\n\n",
  "graph\n",
  "%% first\ngraph TD\n",
  "---\ntitle: A chart\n---\ngraph TD\n",
  '%%{init: {"theme": "dark"}}%%\nflowchart LR\n',
);

export const flowchart: fc.Arbitrary<string> = fc
  .tuple(
    header,
    fc.array(fc.tuple(statement, separator), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
  )
  .map(([first, statements, crlf]) => {
    const text = `${first}A\n${statements.map(([each, behind]) => each + behind).join("")}`;
    return crlf ? text.replaceAll(/\r?\n/g, "\r\n") : text;
  });

/** A flowchart that someone has typed around in. */
export const damagedFlowchart: fc.Arbitrary<string> = fc
  .tuple(
    flowchart,
    fc.array(
      fc.record({
        at: fc.nat(),
        remove: fc.nat({ max: 3 }),
        insert: fc.constantFrom(
          "",
          "",
          "-",
          ">",
          "[",
          "]",
          "(",
          ")",
          "{",
          "}",
          '"',
          "|",
          "&",
          ";",
          "\n",
          " ",
          "x",
          "%%",
          "#",
          "=",
          ".",
          "end",
          "@",
          "🙂",
          "<",
          "subgraph",
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([source, changes]) =>
    changes.reduce((text, { at, remove, insert }) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + insert + text.slice(place + remove);
    }, source),
  );
