/** Sessions as an agent in a terminal drives them, and runs that leave their trail in one. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type ScratchFolder, scratchFolder } from "../scratch/program.ts";
import { missingProgram } from "../scratch/scratch-repository.ts";

const WHO = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
};

interface Shown {
  readonly session: { readonly state: string };
  readonly intents: readonly { readonly what: string; readonly source: string }[];
  readonly runs: readonly { readonly state: string; readonly failure?: string }[];
}

function makeRepository(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, env: { ...process.env, ...WHO } });
  mkdirSync(folder, { recursive: true });
  git("init", "--quiet", "--initial-branch=dev");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.org");
  writeFileSync(path.join(folder, ".gitignore"), "other*/\nconfig-of-test\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=base");
}

function hasProgram(name: string): boolean {
  return spawnSync(name, ["--version"]).error === undefined;
}

/** The commands that the page tells people to put into their editor's settings. */
function hooksOf(page: string): Readonly<Record<"UserPromptSubmit" | "Stop", string>> {
  const [, json = ""] =
    /```json\n(\{\n {2}"hooks"[^]*?)\n```/.exec(readFileSync(page, "utf8")) ?? [];
  const { hooks } = JSON.parse(json) as {
    hooks: Record<string, readonly { hooks: readonly { command: string }[] }[]>;
  };
  const commandOf = (name: string) => hooks[name]?.[0]?.hooks[0]?.command ?? "";
  return { UserPromptSubmit: commandOf("UserPromptSubmit"), Stop: commandOf("Stop") };
}

describe("an agent in a terminal", { skip: missingProgram("git") ?? false }, () => {
  let home: ScratchFolder;
  const file = (...parts: string[]) => path.join(home.folder, ...parts);
  const json = async (...line: string[]) => {
    const { code, stdout, stderr } = await home.run([...line, "--json"]);
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as { data: never }).data as Record<string, never>;
  };
  before(async () => {
    home = scratchFolder();
    makeRepository(home.folder);
    await home.run(["init"]);
  });
  after(() => home.remove());

  test("follows the protocol with three calls, and a script learns from exit codes how it stands", async () => {
    const words = ["--interpretation", "As it says."];
    const missing = await home.run(["session", "start", ...words]);
    const typed = await home.run(["session", "start", "--prompt", "typed", ...words]);
    const early = await home.run(["session", "check"]);
    // A megabyte with control characters, byte for byte.
    const prompt = "\u0001\u0007\u001b[2J\r\n\t-- ü 🧵\n".repeat(55_000);

    const begun = await home.run(["session", "start", "-", ...words], prompt);
    writeFileSync(file("made"), "made\n");
    const recorded = await home.run(["session", "intent", "Make it", "--paths", "made"]);
    const open = await home.run(["session", "check"]);
    const ended = await home.run(["session", "finish", "It is made"]);
    const checked = await home.run(["session", "check"]);
    writeFileSync(file("left"), "over\n");
    const breached = await home.run(["session", "check", "--json"]);
    rmSync(file("left"));

    assert.deepEqual(
      [missing, typed, early].map(({ code }) => code),
      [2, 2, 1],
    );
    assert.match(typed.stderr, /no option --prompt/);
    assert.deepEqual(
      [begun, recorded, open, ended, checked, breached].map(({ code }) => code),
      [0, 0, 9, 0, 0, 9],
      `${begun.stderr}${recorded.stderr}${ended.stderr}`,
    );
    const message = execFileSync("git", ["log", "-1", "--format=%B"], {
      cwd: home.folder,
      maxBuffer: 1e8,
    });
    assert.ok(message.toString().includes(`\n## Original Prompt\n${prompt}\n\n## Agent Context\n`));
    const { data } = JSON.parse(breached.stdout) as {
      data: { sessions: { invariants: { code: string; verdict: string }[] }[] };
    };
    assert.deepEqual(
      data.sessions[0]?.invariants.filter(({ verdict }) => verdict === "breach"),
      [{ code: "tree_clean", verdict: "breach", says: "Not recorded: left." }],
    );
  });

  test("in an editor, the hooks of the documentation begin a session and hold the agent back until it is finished", {
    skip: hasProgram("jq") ? false : "SKIPPED LOUDLY: jq is not on PATH",
  }, () => {
    const editor = file("other-editor");
    makeRepository(editor);
    const bin = path.join(editor, ".git", "bin");
    mkdirSync(bin);
    const main = path.join(import.meta.dirname, "..", "..", "src", "main.ts");
    const shim = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`;
    writeFileSync(path.join(bin, "throughline"), shim, { mode: 0o755 });
    const env = { ...process.env, NO_COLOR: "1", PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    const type = (command: string, input = "") =>
      spawnSync("sh", ["-c", command], { cwd: editor, env, input, encoding: "utf8" });
    const { UserPromptSubmit, Stop } = hooksOf(
      path.join(import.meta.dirname, "../../docs/session.md"),
    );
    const prompt = 'Write "it" down.\n\n\t– ü 🧵\n';
    type("throughline init");

    const begun = type(UserPromptSubmit, JSON.stringify({ hook_event_name: "x", prompt }));
    writeFileSync(path.join(editor, "made"), "made\n");
    type('throughline session intent "Write it down"');
    const held = type(Stop, "{}");
    const ended = type('throughline session finish "It is written down"');
    const free = type(Stop, "{}");

    assert.equal(begun.status, 0, begun.stderr);
    assert.deepEqual([held.status, held.stdout], [2, ""]);
    assert.match(
      held.stderr,
      /✗ session_finished +The session is open\. Finish it: session finish/,
    );
    assert.deepEqual([ended.status, free.status], [0, 0], ended.stderr + free.stderr);
    const shown = JSON.parse(type("throughline session show --json").stdout) as {
      data: { session: { prompt: string } };
    };
    assert.equal(shown.data.session.prompt, prompt);
  });

  test("a run that is bound leaves intents where it changed files, and its end finishes the session", async () => {
    const other = file("other");
    makeRepository(other);
    const go = path.join(home.folder, ".throughline", "go");
    const program = path.join(home.folder, ".throughline", "agent.mjs");
    writeFileSync(
      program,
      `import { existsSync, writeFileSync } from "node:fs";
       const look = () => { if (!existsSync(${JSON.stringify(go)})) return setTimeout(look, 50);
         writeFileSync("by-agent.txt", "done\\n");
         console.log(JSON.stringify({ answer: "Wrote it.", confidence: 1, followUps: [] })); };
       look();`,
    );
    const config = path.join(home.folder, ".throughline", "config.json");
    const settings = existsSync(config) ? (JSON.parse(readFileSync(config, "utf8")) as object) : {};
    const agent = { kind: "command", command: process.execPath, args: [program] };
    writeFileSync(config, JSON.stringify({ ...settings, providers: { agent } }));
    await home.serve(["serve"]);
    await json("project", "add", "Other", "--repository", other);
    const started = await home.run(
      ["session", "start", "-", "--project", "Other", "--interpretation", "Let it.", "--json"],
      "Write the file.",
    );
    const { session } = (JSON.parse(started.stdout) as { data: { session: { id: string } } }).data;
    const { runId } = await json(
      "ask",
      "start",
      "Write it",
      "--model",
      "agent/default",
      "--project",
      "Other",
    );
    await json("session", "bind", String(runId), "--session", session.id);
    writeFileSync(go, "");

    const show = async () => (await json("session", "show", session.id)) as unknown as Shown;
    let shown = await show();
    while (shown.session.state !== "finished" && shown.runs[0]?.failure === undefined) {
      await sleep(200);
      shown = await show();
    }

    const { intents, runs } = shown;
    assert.deepEqual(
      intents.map(({ what, source }) => [what, source]),
      [["answer", "run"]],
    );
    assert.deepEqual([runs[0]?.state, runs[0]?.failure], ["completed", undefined]);
    assert.equal(readFileSync(path.join(other, "by-agent.txt"), "utf8"), "done\n");
    const checked = await home.run(["session", "check", session.id]);
    assert.equal(checked.code, 0, checked.stdout);
    const log = execFileSync("git", ["log", "--format=%s", "dev"], { cwd: other }).toString();
    assert.match(log, /^session: Write it .*AM\nbase\n$/);
  });
});
