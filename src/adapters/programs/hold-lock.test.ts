import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, describe, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { holdLock } from "./hold-lock.ts";

const folder = mkdtempSync(`${tmpdir()}/throughline-lock-`);
after(() => rmSync(folder, { recursive: true, force: true }));
const file = `${folder}/lock`;
const wait = (patienceMs: number) => ({
  sleep: (ms: number) => systemClock.sleep(ms),
  elapsed: () => systemClock.elapsed(),
  patienceMs,
});

describe("a lock", () => {
  test("lets one in at a time, and the next one when the first is done or failed", async () => {
    const seen: string[] = [];
    const turn = (name: string) => async () => {
      seen.push(`${name} in`);
      await systemClock.sleep(30);
      seen.push(`${name} out`);
      if (name === "a") throw new Error("a failed");
    };

    const outcomes = await Promise.allSettled([
      holdLock(file, wait(5000), turn("a")),
      holdLock(file, wait(5000), turn("b")),
    ]);

    assert.deepEqual(seen, ["a in", "a out", "b in", "b out"]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "fulfilled"],
    );
  });

  test("is refused while another process has it, and is free the moment that one is killed", async () => {
    const holder = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import { holdLock } from ${JSON.stringify(import.meta.resolve("./hold-lock.ts"))};
         await holdLock(${JSON.stringify(file)}, { sleep: async () => {}, elapsed: () => 0, patienceMs: 0 },
           () => new Promise(() => { console.log("held"); setInterval(() => {}, 1000); }));`,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    await once(holder.stdout, "data");

    await assert.rejects(
      holdLock(file, wait(0), async () => {}),
      { code: "repository_busy" },
    );
    holder.kill("SIGKILL");
    await once(holder, "exit");

    assert.equal(await holdLock(file, wait(0), async () => "mine"), "mine");
  });
});
