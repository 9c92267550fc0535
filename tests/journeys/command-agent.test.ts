/**
 * A command-line agent such as `claude -p` or `codex exec -` as a colleague: a task that is assigned to it is handed over
 * with its compiled prompt, done in the project's own folder, and read back through the contract.
 */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchFolder } from "../scratch/program.ts";

/** Stands in for the real one, which needs a network: reads a prompt, works on files, answers in the form it was told. */
const AGENT = `#!${process.execPath}
import { readFileSync, writeFileSync } from "node:fs";
const prompt = readFileSync(0, "utf8");
writeFileSync("seen.json", JSON.stringify({ prompt, args: process.argv.slice(2), keys: Object.keys(process.env) }));
writeFileSync("tide.md", "# The tide\\n");
console.log(["I had a look.", "", "## Status", "SUCCESS", "", "## Summary", "Wrote tide.md.", "", "## Output", "The tide is written down.", "", "## Next Action", "COMPLETE", "", "## Metadata", "{ \\"confidence\\": 0.9 }"].join("\\n"));
`;

test("a task of a command-line agent is done in the project's folder and comes back as a result", async (t) => {
  const home = scratchFolder({ SECRET_OF_OURS: "hush" });
  t.after(() => home.remove());
  const program = path.join(home.folder, "claude.mjs");
  writeFileSync(program, AGENT);
  chmodSync(program, 0o755);
  const repository = path.join(home.folder, "tidepool");
  mkdirSync(repository);
  const run = async <Data>(...args: string[]) => {
    const { code, stdout, stderr } = await home.run([...args, "--json"]);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    return (JSON.parse(stdout) as { data: Data }).data;
  };
  await run("init");
  await home.serve(["serve"]);
  await run("model", "add", "claude", "--kind", "command", "--command", program, "--args=-p");
  await run(
    "agent",
    "add",
    "Coder",
    "--model",
    "claude/default",
    "--agent-prompt",
    "You write things down.",
  );
  await run("project", "add", "Tidepool", "--repository", repository);
  const { id } = await run<{ id: string }>(
    "task",
    "add",
    "Write down the tide",
    "--project",
    "Tidepool",
    "--assignee",
    "Coder",
    "--description",
    "In tide.md.",
  );
  type Shown = {
    task: { status: string; output?: unknown; summary?: string; holdReason?: string };
  };
  let shown = await run<Shown>("task", "show", id);
  while (["pending", "in_progress"].includes(shown.task.status)) {
    await sleep(100);
    shown = await run<Shown>("task", "show", id);
  }

  assert.equal(shown.task.status, "completed", shown.task.holdReason);
  assert.match(JSON.stringify(shown.task.output), /The tide is written down/);
  assert.ok(existsSync(path.join(repository, "tide.md")), "it worked in the project's folder");
  const seen = JSON.parse(readFileSync(path.join(repository, "seen.json"), "utf8")) as {
    prompt: string;
    args: string[];
    keys: string[];
  };
  assert.deepEqual(seen.args, ["-p"]);
  for (const part of ["You write things down.", "Write down the tide", "In tide.md.", "## Status"])
    assert.ok(seen.prompt.includes(part), part);
  assert.ok(!seen.keys.includes("SECRET_OF_OURS"), "our environment stays ours");
});
