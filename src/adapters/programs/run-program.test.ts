import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, describe, test } from "node:test";
import { programRunner } from "./run-program.ts";

const folder = mkdtempSync(`${tmpdir()}/throughline-programs-`);
after(() => rmSync(folder, { recursive: true, force: true }));

const run = programRunner();
const node = (script: string, ...args: string[]) => ({
  program: process.execPath,
  args: ["-e", script, "--", ...args],
  folder,
  environment: { ONLY: "this" },
});

describe("a program", () => {
  test("gets its arguments, its input and its environment as they are", async () => {
    const odd = ["-x", "a b", "$HOME", "`id`", "'\"", "é\n\u001b[31m"];

    const { output } = await run({
      ...node(
        "let i='';process.stdin.on('data',c=>i+=c).on('end',()=>console.log(JSON.stringify([process.argv.slice(1),i,process.env])))",
        ...odd,
      ),
      input: "in\r\n",
    });

    const [args, input, environment] = JSON.parse(Buffer.from(output).toString());
    // Node adds it to every child while coverage is counted.
    const { NODE_V8_COVERAGE: _counted, ...seen } = environment;
    assert.deepEqual(args, odd);
    assert.equal(input, "in\r\n");
    assert.deepEqual(seen, { ONLY: "this" });
  });

  test("tells its exit code and what it complained of", async () => {
    const result = await run(node("console.error('no');process.exit(3)"));

    assert.equal(result.exitCode, 3);
    assert.equal(result.errors, "no\n");
  });

  test("that is not there, that hangs, that never stops talking, or that dies is told apart", async () => {
    const hurried = programRunner({ totalMs: 200, mostOutputBytes: 1000 });

    await assert.rejects(run({ ...node(""), program: "no-such-program" }), {
      code: "program_missing",
    });
    await assert.rejects(hurried(node("setTimeout(()=>{},60000)")), { code: "program_stalled" });
    await assert.rejects(hurried(node("console.log('x'.repeat(5000));setTimeout(()=>{},60000)")), {
      code: "program_too_loud",
    });
    await assert.rejects(run(node("process.kill(process.pid,'SIGTERM');setTimeout(()=>{},9999)")), {
      code: "program_ended",
    });
    await assert.rejects(run(node("", "a\0b")), { code: "program_holds_nul" });
  });

  test("takes its children along when its time is up", async () => {
    const hurried = programRunner({ totalMs: 300, mostOutputBytes: 1000 });
    const parent =
      "const c=require('child_process').spawn(process.execPath,['-e','setTimeout(()=>{},60000)'],{stdio:'inherit'});console.log(c.pid);setTimeout(()=>{},60000)";
    const startedAt = performance.now();

    await assert.rejects(hurried(node(parent)), { code: "program_stalled" });

    // The pipe is shared with the child: it closes only when both are gone.
    assert.ok(performance.now() - startedAt < 5000);
  });
});
