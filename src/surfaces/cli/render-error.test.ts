import assert from "node:assert/strict";
import { test } from "node:test";
import { ProductError } from "../../kernel/base/errors.ts";
import { inputInvalid } from "../../kernel/operation/input-problems.ts";
import { renderErrorText } from "./render-error.ts";

const shown = (error: unknown) => renderErrorText(error, undefined, (_, text) => text);

test("what is wrong with an input is told once: alone on the first line, else line by line", () => {
  const title = { pointer: "/title", message: "is needed" };
  const tags = { pointer: "/tags/0", message: "must be a text" };

  assert.equal(shown(inputInvalid([title])), "error: --title: is needed. (input_invalid)");
  assert.equal(
    shown(inputInvalid([title, tags])),
    `error: The input is not right. (input_invalid)
  --title: is needed
  --tags 0: must be a text`,
  );
});

test("an answer of the wrong shape is not taken for a wrong input: that it was done is said first", () => {
  const errors = [{ pointer: "/items", message: "must be a list" }];
  const message = '"task.add" was done, but its answer is not of the promised shape.';
  const error = new ProductError("output_invalid", message, {
    kind: "internal",
    details: { errors },
  });

  assert.match(
    shown(error),
    /^error: "task\.add" was done, .* \(output_invalid\)\n {2}--items: must be a list/,
  );
});
