/** Completion in a real shell: the script is loaded, and the shell's own variables say what was typed. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

/** What is typed before the tab, as bash splits it, and what it then offers. */
const TYPED: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [["dial"], ["dialectic"]],
  [["task", "u"], ["update"]],
  [["-C", "/tmp", "task", "sh"], ["show"]],
  [["help", "dial"], ["dialectic"]],
  [
    ["completion", ""],
    ["bash", "fish", "zsh"],
  ],
  [["task", "list", "--urgency", "=", "h"], ["high"]],
  [["task", "add", "two words", "--proj"], ["--project"]],
  [
    ["mcp", "install", "c"],
    ["claude-code", "claude-desktop", "codex", "cursor"],
  ],
];

describe("completion", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "throughline-completion-"));
    const program = path.join(folder, "throughline");
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
    chmodSync(program, 0o755);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (shell: string, args: readonly string[]) =>
    execFileSync(shell, args, {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, PATH: `${folder}${path.delimiter}${process.env["PATH"] ?? ""}` },
    });

  test("in bash offers what may come next", () => {
    const tries = TYPED.map(([words]) => {
      const quoted = ["throughline", ...words].map((word) => `'${word}'`).join(" ");
      return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; COMPREPLY=(); _throughline; echo "\${COMPREPLY[*]}"`;
    });
    const script = [`eval "$(throughline completion bash)"`, "complete -p throughline", ...tries];
    const [bound = "", ...offered] = run("bash", ["--noprofile", "--norc", "-c", script.join("\n")])
      .trimEnd()
      .split("\n");

    assert.deepEqual(
      offered.map((line) => line.split(" ")),
      TYPED.map(([, expected]) => expected),
    );
    assert.match(bound, /-F _throughline throughline$/);
  });

  for (const shell of ["zsh", "fish"])
    test(`in ${shell} is a script that it can read`, (t) => {
      if (spawnSync(shell, ["--version"]).error !== undefined)
        return t.skip(`${shell} is not on this machine`);
      writeFileSync(path.join(folder, "script"), run("throughline", ["completion", shell]));
      run(shell, ["--no-execute", path.join(folder, "script")]);
    });
});
