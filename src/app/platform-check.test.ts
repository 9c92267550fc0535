import assert from "node:assert/strict";
import { test } from "node:test";
import { judgePlatform } from "./platform-check.ts";

test("Linux and macOS are fine, Windows is refused with what to do instead, others are warned of", () => {
  assert.equal(judgePlatform("linux").state, "ok");
  assert.equal(judgePlatform("darwin").state, "ok");
  const windows = judgePlatform("win32");
  assert.equal(windows.state, "bad");
  assert.match(windows.hint ?? "", /WSL/);
  assert.equal(judgePlatform("sunos").state, "warn");
});
