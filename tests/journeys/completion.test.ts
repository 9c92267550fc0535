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

  /** As a line: what bash splits at `=` is one word to the others. */
  const typedLine = (words: readonly string[]) =>
    `throughline ${words.map((word) => (word.includes(" ") ? `'${word}'` : word)).join(" ")}`.replace(
      / = /,
      "=",
    );
  const TYPED_LINES = TYPED.map(([words, offered]): [line: string, offered: readonly string[]] => {
    const isValue = words.includes("=");
    return [typedLine(words), isValue ? offered.map((each) => `${words.at(-3)}=${each}`) : offered];
  });
  /** Where nothing of ours may stand, files are offered; elsewhere they are not. */
  const withFile = [...TYPED_LINES, ["throughline session start not", ["notes.md"]] as const];
  const isMissing = (shell: string) =>
    spawnSync(shell, ["--version"]).error !== undefined && `${shell} is not on this machine`;

  test("in fish offers the same", { skip: isMissing("fish") }, () => {
    writeFileSync(path.join(folder, "notes.md"), "");
    writeFileSync(path.join(folder, "script"), run("throughline", ["completion", "fish"]));
    const script = 'source script; for line in $argv; complete -C "$line"; echo; end';
    const offered = run("fish", ["--no-config", "-c", script, ...withFile.map(([line]) => line)]);

    assert.deepEqual(
      offered
        .trimEnd()
        .split("\n\n")
        .map((block) => block.split("\n")),
      withFile.map(([, expected]) => expected),
    );
  });

  test("in zsh offers the same, typed into a terminal", { skip: isMissing("zsh") }, () => {
    writeFileSync(path.join(folder, "notes.md"), "");
    writeFileSync(path.join(folder, "script"), run("throughline", ["completion", "zsh"]));
    writeFileSync(path.join(folder, "inside"), INSIDE_ZSH);
    writeFileSync(path.join(folder, "outside"), AROUND_ZSH);
    const offered = run("zsh", ["-f", "outside", ...withFile.map(([line]) => line)]);

    assert.deepEqual(
      offered.trimEnd().split("\n"),
      withFile.map(([line, expected]) => {
        const before = line.slice(0, line.lastIndexOf(" ") + 1);
        return `${before}${expected.join(" ")}`;
      }),
    );
  });
});

/** The tab puts all that is offered into the line, and ^O tells what the line then says. */
const INSIDE_ZSH = `autoload -Uz compinit && compinit -u -D
source ./script
all-that-match() { _main_complete; compstate[insert]=all }
zle -C all-that-match complete-word all-that-match
tell() { print -r -- "\${BUFFER% }" >> told; BUFFER= }
zle -N tell
bindkey '^I' all-that-match '^O' tell
`;

/** A terminal of its own, into which lines are typed. */
const AROUND_ZSH = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ./inside'
for line in "$@"; do zpty -w -n shell "$line"$'\t\x0f'; done
zpty -w shell exit
while zpty -r shell seen; do :; done
cat told
`;
