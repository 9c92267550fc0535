import assert from "node:assert/strict";
import { test } from "node:test";
import { subjectOf } from "./rehearsal-subject.ts";

const about = (text: string) =>
  subjectOf([
    { role: "system", text: "# Rules" },
    { role: "user", text },
  ]);

test("labelled things come before headings, headings before lists and quotations", () => {
  const { names } = about(
    '## Import of exports\n\n1. Streaming reader — open\n- [ ] Progress bar (Ana)\n\n**Project:** Throughline\nPlease look at "Dry run of the wizard" first.',
  );

  assert.deepEqual(names, [
    "Throughline",
    "Import of exports",
    "Streaming reader",
    "Progress bar",
    "“Dry run of the wizard”",
  ]);
});

test("the words of the contract itself are no subject", () => {
  const { names } = about(
    'Task: Plan the week\n\n## Output format\n{"title": "<title here>", "status": "OK"}\n## Status\nRETURN CONTRACT\n- `title`: text\n```json\n{"name": "Fenced thing"}\n```',
  );

  assert.deepEqual(names, ["Plan the week"]);
});

test("without any name the first telling word has to do", () => {
  assert.deepEqual(about("How long does the migration take?").names, ["the migration"]);
  assert.deepEqual(about("").names, ["this work"]);
});

test("a prompt with a heading for the request is about what was asked", () => {
  const rest = "\n\n# The plan\n## Shared materials\n- Notes";

  assert.deepEqual(
    about(
      `# Original request\nWe run three repair cafés in Ghent. We want a small web tool for visitors. No more than 60 visitors.${rest}`,
    ).names,
    ["the part about visitors", "the part about repair cafés", "the small web tool"],
  );
  assert.deepEqual(about(`# Request\nBuild a todo app.${rest}`).names, ["the todo app"]);
  assert.deepEqual(about(`## Request\nHelp!${rest}`).names, ["this work"]);
});

test("a prompt that quotes what was asked is about that, not about who said it", () => {
  const { names } = about(
    '- p1 “The study”: pending\n- `u1` is the raw initial prompt of the person you work for:\n<untrusted-ab from="the person you work for">Find out why our nightly import of sales figures takes four hours</untrusted-ab>',
  );

  assert.deepEqual(names, ["the nightly import", "the part about sales figures"]);
});

test("sentences are no names", () => {
  const { names } = about(
    "- p1 “The study”: pending\n- Who decides about cost when both of them disagree?\nObjective: Reach a point where the report can be written without waiting.",
  );

  assert.deepEqual(names, ["The study"]);
});

test("ids of several kinds are found", () => {
  const ids = about(
    "See p3, v12, F2, task-104, ABC-7 and 0198c0de-0000-7000-8000-000000000001.",
  ).ids();

  assert.deepEqual(ids, [
    "p3",
    "v12",
    "F2",
    "task-104",
    "ABC-7",
    "0198c0de-0000-7000-8000-000000000001",
  ]);
});

test("a hostile megabyte is glanced at in a moment", () => {
  const started = performance.now();

  about(`${'"'.repeat(500_000)}\n${"- ".repeat(250_000)}${"#".repeat(100_000)}`);

  assert.ok(performance.now() - started < 500);
});
