import assert from "node:assert/strict";
import { test } from "node:test";
import { providerText } from "./provider-text.ts";

test("terminal escapes and control characters are gone, line breaks stay", () => {
  const hostile =
    "\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007\u0000\u009b\r\nnext\u001b]52;c;ZXZpbA==\u001b\\";

  assert.equal(providerText(hostile), "red link\nnext");
});

test("given secrets and anything shaped like a key do not come through", () => {
  const text =
    "Incorrect API key provided: sk-proj-abc123def456; Authorization: Bearer eyJhbGciOi; mine is hunter2222.";

  const shown = providerText(text, ["hunter2222"]);

  assert.doesNotMatch(shown, /abc123|eyJhb|hunter2222/);
  assert.match(shown, /Incorrect API key/);
});

test("of a long text the end is kept, where the reason usually stands", () => {
  const shown = providerText(`${"noise ".repeat(1000)}fatal: the disk is full`);

  assert.ok(shown.length <= 610);
  assert.match(shown, /fatal: the disk is full$/);
});
