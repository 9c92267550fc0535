import assert from "node:assert/strict";
import { test } from "node:test";
import { ProductError } from "../base/errors.ts";
import { renderTemplate } from "../base/template.ts";
import type { LibraryFile } from "./library.ts";
import { parsePrompt } from "./parse-prompt.ts";

function file(text: string, path = "ask/prompts/answer.md"): LibraryFile {
  return { path, text, layer: "built-in", overrides: [], hash: "h" };
}

const good = `---
name: answer
description: Answers.
role: system
contract: ask.answer
variables:
  request: What is asked.
  file: A file with path and text.
---

Answer {{ request }}
about {{file.path}} and {{file.text}}.
`;

test("a prompt is its head and its body", () => {
  const prompt = parsePrompt(file(good));

  assert.deepEqual(
    [prompt.name, prompt.description, prompt.role, prompt.contract],
    ["answer", "Answers.", "system", "ask.answer"],
  );
  assert.deepEqual(prompt.variables, [
    { name: "request", description: "What is asked." },
    { name: "file", description: "A file with path and text." },
  ]);
  assert.equal(
    renderTemplate(prompt.template, { request: "why", file: { path: "a", text: "b" } }).text,
    "Answer why\nabout a and b.",
  );
});

test("a contract and variables may be left out", () => {
  const prompt = parsePrompt(file("---\nname: answer\ndescription: d\nrole: user\n---\nHello."));

  assert.deepEqual([prompt.contract, prompt.variables, prompt.body], [undefined, [], "Hello."]);
});

test("Windows line ends make no difference", () => {
  assert.equal(parsePrompt(file(good.replaceAll("\n", "\r\n"))).body, parsePrompt(file(good)).body);
});

test("a file is parsed once", () => {
  const same = file(good);

  assert.equal(parsePrompt(same), parsePrompt(same));
});

test("every problem is named with file, line and what to do", () => {
  const broken = `---
name: reply
descripton: Typo.
role: robot
contract: [a, b]
variables:
  request: What is asked.
  unused: Nobody uses it.
  constructor: Reserved.
---
{{request}} {{conext}}
{{#if x}} {{constructor}}
`;

  assert.throws(
    () => parsePrompt(file(broken)),
    (error) => {
      assert.ok(error instanceof ProductError);
      assert.equal(error.code, "prompt_invalid");
      assert.deepEqual(error.message.split("\n"), [
        'ask/prompts/answer.md:1: The field "description" is missing.',
        'ask/prompts/answer.md:2: The name is "reply", but the file is called "answer".',
        'ask/prompts/answer.md:3: There is no field "descripton".',
        'ask/prompts/answer.md:4: "robot" is no role.',
        'ask/prompts/answer.md:5: "contract" must be a text.',
        'ask/prompts/answer.md:8: The variable "unused" is declared and never used.',
        'ask/prompts/answer.md:9: "constructor" cannot name a variable.',
        'ask/prompts/answer.md:9: The variable "constructor" is declared and never used.',
        'ask/prompts/answer.md:11: {{conext}} uses the variable "conext", which the head does not declare.',
        'ask/prompts/answer.md:12: {{#if x}}: A path cannot have "#" here.',
        'ask/prompts/answer.md:12: {{constructor}}: "constructor" is no name a path may use.',
      ]);
      assert.match(error.hint ?? "", /Did you mean "description"\?/);
      assert.match(error.hint ?? "", /Add `conext: what it holds`/);
      return true;
    },
  );
});

test("a broken head, an empty body and variables without meaning are refused", () => {
  const cases: [string, RegExp][] = [
    ["no head", /answer\.md:1: The file must begin with/],
    ["---\nname: answer\nrole: a: b\n---\nx", /answer\.md:3: YAML reads this differently/],
    [
      "---\nname: answer\ndescription: d\nrole: user\n---\n\n",
      /answer\.md:5: The prompt has no body/,
    ],
    [
      "---\nname: answer\ndescription: d\nrole: user\nvariables: [a]\n---\n{{a}}",
      /:5: "variables" must/,
    ],
    [
      '---\nname: answer\ndescription: d\nrole: user\nvariables:\n  a: ""\n---\n{{a}}',
      /:6: "a" has no meaning/,
    ],
  ];

  for (const [text, message] of cases) {
    assert.throws(() => parsePrompt(file(text)), { code: "prompt_invalid", message });
  }
});
