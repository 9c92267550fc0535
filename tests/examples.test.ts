/** Every example of the library runs as it stands, from an empty folder. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";

const root = path.join(import.meta.dirname, "..");
const folder = path.join(root, "examples");

/** They import the package by its name; here that is its source. `tests/proof/package.ts` runs them on the installed package. */
const HOOK = `
import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) =>
  name === "throughline" ? next(${JSON.stringify(pathToFileURL(path.join(root, "src", "index.ts")).href)}, context) : next(name, context) });
`;

const EXPECTED: Readonly<Record<string, readonly RegExp[]>> = {
  "carry-a-project.ts": [
    /^A packet of \d+ characters, called \S+/m,
    /^Brought home: 3 thoughts$/m,
    /^- Sow spinach along the north wall \(pending\)$/m,
  ],
  "own-model.ts": [
    /^You asked: .*Is anybody there\?/m,
    /^Kept as an exchange with echo\/plain: answered$/m,
  ],
  "own-method.ts": [
    /^A draft: .*"tone":"plain"/m,
    /^A draft: .*"tone":"playful"/m,
    /^The run is completed: \{"drafts":2\}$/m,
  ],
};

describe("the library's examples", () => {
  test("are the ones looked at here", () => {
    assert.deepEqual(
      readdirSync(folder)
        .filter((file) => file.endsWith(".ts"))
        .toSorted(),
      Object.keys(EXPECTED).toSorted(),
    );
  });

  for (const [file, lines] of Object.entries(EXPECTED))
    test(file, async (t) => {
      const home = mkdtempSync(path.join(tmpdir(), "throughline-example-"));
      t.after(() => rmSync(home, { recursive: true, force: true }));
      const { code, stdout, stderr } = await runExample(path.join(folder, file), home);

      assert.equal(code, 0, stderr);
      for (const line of lines) assert.match(stdout, line);
    });
});

function runExample(
  file: string,
  home: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
  const {
    ANTHROPIC_API_KEY: _a,
    OPENAI_API_KEY: _o,
    GOOGLE_GENERATIVE_AI_API_KEY: _g,
    ...env
  } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--import", hook, file, home],
      { cwd: home, env, timeout: 60_000 },
      (error, stdout, stderr) =>
        resolve({
          code: error === null ? 0 : typeof error.code === "number" ? error.code : 1,
          stdout,
          stderr,
        }),
    );
  });
}
