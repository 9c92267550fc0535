import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { printPath } from "./json-path.ts";
import {
  MAX_RENDERED_CHARACTERS,
  parseTemplate,
  renderTemplate,
  templatePaths,
} from "./template.ts";

const scope = {
  input: { prNumber: 42, title: "Fix $& and $1", draft: false, note: null },
  file: { path: "src/a.ts", "odd }} key": "odd" },
  list: [1, { a: "b" }],
  evil: "{{input.prNumber}} {{secrets.key}}",
};

function render(text: string) {
  return renderTemplate(parseTemplate(text), scope);
}

test("places are filled, with or without spaces inside the braces", () => {
  assert.equal(
    render("Fetch PR #{{input.prNumber}}: {{ input.title }}{{\tfile.path }}").text,
    "Fetch PR #42: Fix $& and $1src/a.ts",
  );
});

test("values are written as people expect: objects as pretty JSON, strings as they are", () => {
  assert.equal(render("{{list}}").text, JSON.stringify(scope.list, null, 2));
  assert.equal(
    render("{{input.draft}} {{input.note}} {{list[0]}} {{list.length}}").text,
    "false null 1 2",
  );
  assert.equal(render('{{file["odd }} key"]}}').text, "odd");
});

test("what is inserted is never looked at again", () => {
  const { text, missing } = render("<{{evil}}>");

  assert.equal(text, "<{{input.prNumber}} {{secrets.key}}>");
  assert.deepEqual(missing, []);
});

test("a place that cannot be filled stays visible and is reported with its position", () => {
  const { text, missing, spans } = render("a {{ input.nope }}\nb {{gone[0]}} {{file.path}}");

  assert.equal(text, "a {{ input.nope }}\nb {{gone[0]}} src/a.ts");
  assert.deepEqual(missing, [
    {
      path: "input.nope",
      position: { offset: 2, line: 1, column: 3 },
      reason: 'there is no "nope" in input',
    },
    { path: "gone[0]", position: { offset: 21, line: 2, column: 3 }, reason: 'there is no "gone"' },
  ]);
  assert.deepEqual(spans, [{ path: "file.path", start: 33, end: 41 }]);
});

test("prototype names and things that are no paths are inert, visible and reported", () => {
  const inert = [
    "{{constructor.constructor}}",
    "{{__proto__}}",
    "{{input.__proto__.polluted}}",
    "{{ input['constructor'] }}",
    "{{#if x}}",
    "{{/if}}",
    "{{}}",
    "{{ }}",
    "{{ don't }}",
    "{{a b}}",
    "{{a.b()}}",
    "{{1 + 1}}",
    "{{input.prNumber|upper}}",
    "{{> partial}}",
    "{{&input.title}}",
    "{{input.prNumber}",
    "{{input.prNumber",
    "{{",
    "{{toString}}",
    "{{input.toString}}",
    "{{list.map}}",
  ];

  for (const text of inert) {
    const rendered = render(text);
    assert.equal(rendered.text, text);
    assert.deepEqual(rendered.spans, [], text);
    assert.equal(rendered.missing.length, 1, text);
    assert.ok(rendered.missing[0]?.reason, text);
  }
});

test("a place that is none is reported with what is between its braces, and why it is none", () => {
  const look = "what stands between the braces is not a path";
  const told: [string, string, string][] = [
    ["{{ }}", "", "A path cannot have the end here"],
    ["{{ a b }}", "a b", look],
    ["{{>x}}", ">x", 'A path cannot have ">" here'],
    ["{{a.__proto__}}", "a.__proto__", '"__proto__" is no name a path may use'],
    ["{{a", "a", "the braces are never closed"],
    ["{{a\nb}}", "a", "the braces are never closed"],
    ["{{a}", "a}", "the braces are never closed"],
    ["{{a\\b}}", "a\\b", look],
    ["{{a{b}}", "a{b", look],
    ["{{a}b}}", "a}b", look],
  ];

  for (const [text, path, reason] of told) {
    const position = { offset: 1, line: 1, column: 2 };
    assert.deepEqual(render(`-${text}`).missing, [{ path, position, reason }], text);
  }
});

test("quoted names may hold braces and escaped quotes, and end with their own quote", () => {
  const odd = { a: { "}}": 1, '"}}': 2, "'": 3, "\\": 4, '"': 5, "\"'": 6 } };
  const text = `{{a["}}"]}}{{a['}}']}}{{a["\\"}}"]}}{{a["'"]}}{{a["\\\\"]}}{{a['"']}}{{a['"\\'']}}`;

  assert.deepEqual(renderTemplate(parseTemplate(text), odd), {
    ...renderTemplate(parseTemplate(text), odd),
    text: "1123456",
    missing: [],
  });
});

test("places are counted line by line, however many stand on one", () => {
  const { missing } = render("{{x}}\n\n {{y}} {{z}}\n{{w}}\n");

  assert.deepEqual(
    missing.map(({ path, position }) => [path, position.offset, position.line, position.column]),
    [
      ["x", 0, 1, 1],
      ["y", 8, 3, 2],
      ["z", 14, 3, 8],
      ["w", 20, 4, 1],
    ],
  );
});

test("the refusal of a text that grows too long names the limit", () => {
  const template = parseTemplate("{{a}}{{a}}");

  assert.throws(() => renderTemplate(template, { a: "x".repeat(MAX_RENDERED_CHARACTERS) }), {
    message: "A rendered text has at most 16000000 characters.",
    hint: "Insert fewer or smaller values.",
  });
});

test("a broken place does not swallow the next one", () => {
  assert.equal(render("{{input.prNumber {{file.path}}").text, "{{input.prNumber src/a.ts");
  assert.equal(render("{{a b}}{{file.path}}").text, "{{a b}}src/a.ts");
  assert.equal(
    render("{{ input.prNumber\n}} {{file.path}}").text,
    "{{ input.prNumber\n}} src/a.ts",
  );
});

test("a place is known by its path, however it was spelled", () => {
  const { missing, spans } = render("{{ input['nope'] }}{{ input[\"title\"] }}");

  assert.deepEqual([missing[0]?.path, spans[0]?.path], ["input.nope", "input.title"]);
});

test("a text is read as places, what is none, and the text between them, without empty ones", () => {
  const at = (offset: number) => ({ offset, line: 1, column: offset + 1 });

  assert.deepEqual(parseTemplate("{{a}}-{{b c}}").parts, [
    { kind: "place", source: "{{a}}", path: ["a"], position: at(0) },
    { kind: "text", text: "-" },
    {
      kind: "broken",
      source: "{{b c}}",
      position: at(6),
      reason: "what stands between the braces is not a path",
    },
  ]);
  assert.deepEqual(parseTemplate("").parts, []);
  assert.deepEqual(parseTemplate("-").parts, [{ kind: "text", text: "-" }]);
  assert.equal(render("{{oops\n{{file.path}}").text, "{{oops\nsrc/a.ts");
});

test("other braces are plain text", () => {
  for (const text of ['{"a":{"b":1}}', "}}", "{ {x} }", "${x}", "#{x}", "<%= x %>", "{%x%}"]) {
    assert.deepEqual(render(text), { text, missing: [], spans: [] });
  }
  assert.equal(render("{{{file.path}}}").text, "{src/a.ts}");
  assert.equal(render("Output: {path: {{file.path}}}").text, "Output: {path: src/a.ts}");
});

test("the paths of a template are listed once", () => {
  const template = parseTemplate("{{b}} {{a.c}} {{ b }} {{bad one}}");

  assert.deepEqual(templatePaths(template).map(printPath), ["b", "a.c"]);
});

test("a value that is no JSON is reported instead of breaking the prompt", () => {
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;

  const { text, missing } = renderTemplate(parseTemplate("{{loop}} {{big}}"), { loop, big: 1n });

  assert.equal(text, "{{loop}} {{big}}");
  assert.match(missing[0]?.reason ?? "", /^the value cannot be written as JSON: .*circular/);
  assert.equal(missing[1]?.reason, 'there is no "big"');
});

test("a small template cannot blow up into an endless text", () => {
  const template = parseTemplate("{{a}}".repeat(1_000));

  assert.throws(() => renderTemplate(template, { a: "x".repeat(1_000_000) }), {
    code: "template_too_large",
    kind: "limit",
  });
  assert.equal(
    renderTemplate(template, { a: "x".repeat(MAX_RENDERED_CHARACTERS / 1_000) }).text.length,
    MAX_RENDERED_CHARACTERS,
  );
});

const piece = fc.oneof(
  fc.constantFrom(
    "{{",
    "}}",
    "{",
    "}",
    "{{a}}",
    "{{ b.c }}",
    "{{gone}}",
    '{{b["',
    '"]}}',
    "\n",
    "'",
  ),
  fc.constantFrom("__proto__", "constructor", "a", ".", "[0]", "\\", " ", "x"),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const texts = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));

test("the parts of a template always add up to its text, and rendering nothing changes nothing", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { parts } = parseTemplate(text);
      const sources = parts.map((part) => (part.kind === "text" ? part.text : part.source));

      assert.equal(sources.join(""), text);
      assert.equal(renderTemplate({ parts }, {}).text, text);
    }),
    { numRuns: 2_000 },
  );
});

test("spans name exactly the inserted values, and outside of them the text is the template's", () => {
  fc.assert(
    fc.property(texts, fc.string({ unit: "binary" }), fc.jsonValue(), (text, a, c) => {
      const template = parseTemplate(text);

      const rendered = renderTemplate(template, { a, b: { c } });

      const expected: Record<string, string> = {
        a,
        "b.c": typeof c === "string" ? c : JSON.stringify(c, null, 2),
      };
      let rest = "";
      let end = 0;
      for (const span of rendered.spans) {
        rest += rendered.text.slice(end, span.start);
        end = span.end;
        if (span.path in expected) {
          assert.equal(rendered.text.slice(span.start, span.end), expected[span.path]);
        }
      }
      rest += rendered.text.slice(end);
      const filled = new Set(rendered.spans.map((span) => span.path));
      const kept = template.parts
        .filter((part) => part.kind !== "place" || !filled.has(printPath(part.path)))
        .map((part) => (part.kind === "text" ? part.text : part.source));
      assert.equal(rest, kept.join(""));
    }),
    { numRuns: 1_000 },
  );
});

test("a megabyte of any shape is read in time proportional to its length", () => {
  const shapes = [
    "{",
    "{{",
    "{{ ",
    "{{a",
    "{{a}}",
    '{{a["',
    '{{\\"',
    "{{a['{{a[\"",
    "{{}}",
    "x",
    "{{\n",
  ];

  for (const shape of [...shapes, `{{a${" ".repeat(100_000)}`]) {
    const text = shape.repeat(Math.ceil(1_000_000 / shape.length));
    const started = performance.now();
    const { text: rendered } = renderTemplate(parseTemplate(text), { b: 1 });
    const spent = performance.now() - started;

    assert.equal(rendered, text);
    // Half a second at most on an idle machine; quadratic work would take minutes.
    assert.ok(spent < 10_000, `${JSON.stringify(shape.slice(0, 12))}: ${spent} ms`);
  }
});
