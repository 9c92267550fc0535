import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { builtInLibrary } from "../../tests/scratch/scratch-kernel.ts";
import { systemClock } from "../kernel/base/clock.ts";
import { checkTelemetryWay, isInTheClear } from "./clear-address.ts";
import { readConfig } from "./config.ts";
import { openModels } from "./models.ts";

describe("beyond this machine", () => {
  test("http is in the clear; https is not, and neither is anything on this machine", () => {
    for (const address of [
      "http://models.example.org/v1",
      "http://10.0.0.5:8000",
      "http://[2001:db8::7]/v1",
      "http://127.0.0.1.example.org",
      "HTTP://MODELS.EXAMPLE.ORG",
    ])
      assert.equal(isInTheClear(address), true, address);
    for (const address of [
      "https://models.example.org/v1",
      "http://127.0.0.1:11434/v1",
      "http://localhost:8000",
      "http://[::1]/v1",
      "",
    ])
      assert.equal(isInTheClear(address), false, address);
  });

  test("a model is asked over TLS alone, unless its settings say otherwise, and the list says why it is not", async (t) => {
    const home = mkdtempSync(path.join(tmpdir(), "throughline-clear-"));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const folder = path.join(home, ".throughline");
    mkdirSync(folder);
    const baseUrl = "http://models.example.org/v1";
    const kind = "openai-compatible";
    const providers = {
      plain: { kind, baseUrl, models: ["m"] },
      meant: { kind, baseUrl, models: ["m"], inTheClear: true },
      safe: { kind, baseUrl: "https://models.example.org/v1", models: ["m"] },
      here: { kind, baseUrl: "http://127.0.0.1:11434/v1", models: ["m"] },
    };
    writeFileSync(path.join(folder, "config.json"), JSON.stringify({ providers }));
    const config = readConfig(folder, {});
    const models = openModels(() => config, builtInLibrary(), systemClock);

    await assert.rejects(models.find("plain/m"), { code: "model_in_the_clear" });
    for (const name of ["meant/m", "safe/m", "here/m"]) assert.ok(await models.find(name), name);
    const listed = (await models.list()).filter(({ name }) => name.endsWith("/m"));
    assert.deepEqual(
      listed.map(({ name, isUsable }) => [name, isUsable]),
      [
        ["plain/m", false],
        ["meant/m", true],
        ["safe/m", true],
        ["here/m", true],
      ],
    );
    assert.equal(listed[0]?.note, "needs https");
  });

  test("telemetry goes over TLS alone, unless the environment says otherwise", () => {
    const plain = ["https://a.example/v1/traces", "http://a.example/v1/metrics"];
    assert.throws(() => checkTelemetryWay(plain, {}), { code: "telemetry_in_the_clear" });
    checkTelemetryWay(plain, { THROUGHLINE_TELEMETRY_IN_THE_CLEAR: "true" });
    checkTelemetryWay(["https://a.example", "http://127.0.0.1:4318", ""], {});
  });
});
