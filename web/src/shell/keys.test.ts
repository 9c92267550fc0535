import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "./commands.ts";
import { matchKeys, strokeName } from "./keys.ts";

const stroke = (
  key: string,
  held: Partial<Record<"ctrlKey" | "metaKey" | "shiftKey", boolean>> = {},
) => strokeName({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

test("keys are called the same on every keyboard", () => {
  assert.equal(stroke("k", { metaKey: true }), "mod+k");
  assert.equal(stroke("K", { ctrlKey: true, shiftKey: true }), "mod+k");
  assert.equal(stroke("?", { shiftKey: true }), "?");
  assert.equal(stroke("Enter", { shiftKey: true }), "shift+Enter");
});

test("a sequence waits for its end, and the newest command wins", () => {
  const command = (label: string, keys: string): Command => ({ label, keys, run: () => undefined });
  const commands = [command("page", "a"), command("inbox", "g i"), command("old", "a")];

  assert.equal(matchKeys(["g"], commands), "unfinished");
  assert.equal((matchKeys(["g", "i"], commands) as Command).label, "inbox");
  assert.equal((matchKeys(["a"], commands) as Command).label, "page");
  assert.equal(matchKeys(["g", "x"], commands), undefined);
});
