import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { readConfig } from "./config.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-config-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function read(file: object, environment: Readonly<Record<string, string>> = {}) {
  writeFileSync(path.join(folder, "config.json"), JSON.stringify(file));
  return readConfig(folder, environment);
}

describe("settings that cannot be used", () => {
  test("are named one by one, with what was probably meant", () => {
    const file = {
      defaultModl: "x",
      port: "a",
      providers: { slow: { kind: "rehearsal", latencyMs: -1 } },
    };

    assert.throws(() => read(file), {
      code: "config_invalid",
      hint: 'port: must be a number; providers.slow.latencyMs: must be at least 0; defaultModl: there is no such field; did you mean "defaultModel"?',
    });
    assert.throws(() => read([]), { code: "config_invalid", hint: "Write them between { and }." });
  });
});

describe("how often the server may be asked", () => {
  test("is generous unless set, and the environment sets the rate over the file", () => {
    assert.deepEqual(read({}).rateLimit, { perSecond: 50, burst: 200 });
    assert.deepEqual(read({ rateLimit: { burst: 9 } }).rateLimit, { perSecond: 50, burst: 9 });
    assert.deepEqual(
      read({ rateLimit: { perSecond: 5, burst: 9 } }, { THROUGHLINE_RATE_LIMIT: "0" }).rateLimit,
      { perSecond: 0, burst: 9 },
    );
  });

  test("what is no rate is refused, saying where", () => {
    for (const rateLimit of [{ perSecond: -1 }, { burst: 0 }, { each: 5 }, 50]) {
      assert.throws(() => read({ rateLimit }), { code: "config_invalid", hint: /rateLimit/ });
    }
    assert.throws(() => read({}, { THROUGHLINE_RATE_LIMIT: "many" }), { code: "config_invalid" });
  });
});
