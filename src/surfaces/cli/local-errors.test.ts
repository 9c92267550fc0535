import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ProductError } from "../../kernel/base/errors.ts";
import { exitCodeOfError } from "./exit-code.ts";
import { toLocalError } from "./local-errors.ts";
import { renderErrorText } from "./render-error.ts";

function refusal(code: string): Error {
  return Object.assign(new Error(`${code}: refused, mkdir '/x/.throughline'`), {
    code,
    syscall: "mkdir",
    path: "/x/.throughline",
  });
}

test("a folder that the system keeps to itself is named, with what to do, and ends as not allowed", () => {
  for (const [code, why] of [
    ["EACCES", /lets this account in no further/],
    ["EPERM", /lets this account in no further/],
    ["EROFS", /its disk is read-only/],
  ] as const) {
    const shown = renderErrorText(refusal(code), undefined, (_, text) => text);

    assert.match(shown, /^error: \/x\/\.throughline cannot be used: .*\(path_denied\)\nhint: /);
    assert.match(shown, why);
    assert.equal(exitCodeOfError(refusal(code)), 5);
  }
});

test("other failures of files stay what they are", () => {
  const full = toLocalError(refusal("ENOSPC"));
  assert.ok(full instanceof ProductError && full.code === "file_disk_full");
  for (const thrown of [new Error("x"), "text", undefined])
    assert.equal(toLocalError(thrown), thrown);
  assert.throws(
    () => readFileSync("/nowhere/at/all"),
    (error) => toLocalError(error) === error,
  );
});
