import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { inputInvalid, toInputProblems } from "./input-problems.ts";

const schema = z.strictObject({
  title: z.string().min(1),
  tags: z.array(z.string()).max(1),
  kind: z.enum(["project", "task"]),
  budget: z.int().min(500).max(9000),
  word: z.string().regex(/^a/, "begins with a"),
  share: z.number().gt(0),
});

test("what is wrong is said in our words, a schema's own words stay", () => {
  const given = {
    title: "",
    tags: ["a", "b"],
    kind: "projct",
    budget: 10,
    word: "b",
    share: 0,
    tgs: 1,
  };
  const { error } = schema.safeParse(given);
  assert.ok(error);

  const problems = toInputProblems(error, Object.keys(schema.shape));

  assert.deepEqual(Object.fromEntries(problems.map((each) => [each.pointer, each.message])), {
    "/title": "must not be empty",
    "/tags": "must have at most 1 entry",
    "/kind": "must be one of project, task",
    "/budget": "must be at least 500",
    "/word": "begins with a",
    "/share": "must be more than 0",
    "/tgs": 'there is no such field; did you mean "tags"?',
  });
});

test("one problem is the message, of several the first", () => {
  const one = { pointer: "/fields/url", message: "is needed" };

  assert.equal(inputInvalid([one]).message, "The input is not right. fields.url: is needed.");
  assert.equal(
    inputInvalid([one, one]).message,
    "The input is not right. fields.url: is needed (and 1 more).",
  );
});
