import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

/** Runs the help of one command in a fresh process and lists the files it loaded. */
const PROBE = `
import { registerHooks } from "node:module";
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
const { z } = await import("zod");
const { runCli } = await import("./run-cli.ts");
const { groupsOf } = await import("./command.ts");
const { createOperationRegistry } = await import("../../kernel/operation/operation-registry.ts");
const registry = createOperationRegistry([{
  name: "note.add", summary: "Adds a note.", effect: "writes", permission: "edit",
  input: z.object({ text: z.string() }), output: z.object({}), run: async () => ({}),
}]);
const output = { isTTY: false, columns: 80, write() {} };
const code = await runCli(["note", "add", "--help"], {
  program: { name: "sample", version: "1", summary: "" },
  commands: { groups: groupsOf(registry) },
  stdout: output, stderr: output, stdin: { isTTY: true },
  environment: {}, signal: new AbortController().signal,
});
console.log(JSON.stringify({ code, loaded }));
`;

test("the help of a command loads nothing heavy: no server, no database, no model", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", PROBE],
    { cwd: import.meta.dirname },
  );

  const { code, loaded } = JSON.parse(stdout) as { code: number; loaded: readonly string[] };
  const packages = new Set(
    loaded.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []),
  );
  assert.equal(code, 0);
  assert.deepEqual([...packages], ["zod"]);
  const heavy = loaded.filter((url) =>
    /kernel\/(store|run|model|prompt|library)\/|node:(http|sqlite)/.test(url),
  );
  assert.deepEqual(heavy, []);
});
