import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { adaptQuestions } from "./adapt-questions.ts";
import { type Question, questionForm, questionSchema, readAnswers } from "./question.ts";

const questions: readonly Question[] = [
  {
    id: "branch",
    question: "Which branch?",
    type: "choice",
    description: "Where the fix goes.",
    options: [
      { value: "main", label: "Main", description: "released daily" },
      { value: "next", label: "Next" },
    ],
    defaultValue: "main",
  },
  { id: "sure", question: "Delete the old one?", type: "confirm", defaultValue: false },
  { id: "count", question: "How many?", type: "number", validation: { min: 1, max: 9 } },
  {
    id: "files",
    question: "Which files?",
    type: "multiselect",
    options: [
      { value: 1, label: "One" },
      { value: 2, label: "Two" },
    ],
  },
  {
    id: "why",
    question: "Why?",
    type: "text",
    required: false,
    defaultValue: "because",
    validation: { minLength: 3, maxLength: 80 },
  },
];

describe("the form of questions", () => {
  test("asks each in its own way and fills in nothing that must be answered", () => {
    assert.deepEqual(questionForm(questions), [
      {
        name: "branch",
        label: "Which branch?",
        type: "choice",
        required: true,
        options: [
          { value: "main", label: "Main — released daily" },
          { value: "next", label: "Next" },
        ],
        help: "Where the fix goes. The model suggests: Main.",
      },
      {
        name: "sure",
        label: "Delete the old one?",
        type: "confirm",
        required: true,
        help: "The model suggests: no.",
      },
      {
        name: "count",
        label: "How many?",
        type: "number",
        required: true,
        help: "a number from 1 to 9",
        minimum: 1,
        maximum: 9,
      },
      {
        name: "files",
        label: "Which files?",
        type: "multiselect",
        required: true,
        options: [
          { value: 1, label: "One" },
          { value: 2, label: "Two" },
        ],
        help: "a list of at least 1 items, each one of 1, 2",
      },
      {
        name: "why",
        label: "Why?",
        type: "text",
        required: false,
        help: "text, 3 to 80 characters",
        initial: "because",
      },
    ]);
  });

  test("takes what fits and says what does not", () => {
    const good = readAnswers(questions, { branch: "next", sure: "no", count: "3", files: [1] });
    const bad = readAnswers(questions, { branch: "old", count: 12, files: [], why: "x" });

    assert.ok(good.ok, JSON.stringify(good));
    assert.deepEqual(good.value, { branch: "next", sure: false, count: 3, files: [1] });
    assert.ok(!bad.ok);
    assert.deepEqual(
      bad.problems.map(({ path }) => path),
      ["branch", "sure", "count", "files", "why"],
    );
  });
});

describe("questions as models write them", () => {
  const adapt = (written: unknown) => {
    const notes: string[] = [];
    const adapted = adaptQuestions(written, [], (path, _before, _after, sentence) =>
      notes.push(`${path.join(".")}: ${sentence}`),
    );
    return { adapted, notes };
  };

  test("are asked in one form", () => {
    const { adapted } = adapt([
      { name: "env", prompt: "Where?", type: "select", choices: ["test", "live"] },
      { text: "Sure?", type: "boolean" },
      { question: "Which?", type: "multi-select", options: [{ label: "A" }, { value: "b" }] },
      { id: "env", question: "Pick one", type: "dropdown" },
      { id: "not an id!", question: "How much?", type: "integer", max: 5 },
      "And why?",
    ]);

    assert.deepEqual(adapted, [
      {
        id: "env",
        question: "Where?",
        type: "choice",
        options: [
          { value: "test", label: "test" },
          { value: "live", label: "live" },
        ],
      },
      { id: "q2", question: "Sure?", type: "confirm" },
      {
        id: "q3",
        question: "Which?",
        type: "multiselect",
        options: [
          { value: "A", label: "A" },
          { value: "b", label: "b" },
        ],
      },
      { id: "q4", question: "Pick one", type: "text" },
      { id: "q5", question: "How much?", type: "number", validation: { max: 5 } },
      { id: "q6", question: "And why?", type: "text" },
    ]);
    assert.ok(
      Array.isArray(adapted) && adapted.every((each) => questionSchema.safeParse(each).success),
    );
  });

  test("never bring a pattern to be run", () => {
    const { adapted, notes } = adapt({
      id: "a",
      question: "What?",
      type: "text",
      validation: { pattern: "(a+)+$", maxLength: 5 },
    });

    assert.deepEqual(adapted, [
      { id: "a", question: "What?", type: "text", validation: { maxLength: 5 } },
    ]);
    assert.deepEqual(notes, [
      "0.validation.pattern: A pattern that a model wrote is not run; the answer is not held to it.",
    ]);
  });
});
