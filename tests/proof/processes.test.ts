/**
 * What is started when hostile texts are messages, paths, branches and ids of a repository that is hostile itself: every
 * program that the kernel starts is counted by `strace`, and there are none but ours and version control's own.
 * `PROCESSES=600` tries as many texts.
 */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { plantPrograms } from "../../src/kernel/vcs/vcs-remotes.suite.ts";
import { HOSTILE_TEXTS } from "../hostile/corpus.ts";
import { generatedTexts } from "../hostile/generated-texts.ts";
import {
  missingProgram,
  scratchEnvironment,
  scratchRepository,
} from "../scratch/scratch-repository.ts";
import type { VcsOrders } from "../scratch/vcs-worker.ts";

const CASES = Number(process.env["PROCESSES"] ?? 10);
const WORKER = path.join(import.meta.dirname, "..", "scratch", "vcs-worker.ts");
const hasStrace = spawnSync("strace", ["-V"]).status === 0;

describe("processes", () => {
  for (const kind of ["git", "jj"] as const) {
    const skip = missingProgram(kind) ?? (hasStrace ? false : "strace is not on this machine");
    test(`${CASES} hostile texts in a hostile repository of ${kind} start nothing of theirs`, {
      skip,
    }, async (t) => {
      const repository = await scratchRepository(kind);
      t.after(() => repository.remove());
      const marker = path.join(repository.folder, "ran");
      const evil = path.join(repository.folder, "evil");
      writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${marker}\nexit 1\n`);
      chmodSync(evil, 0o755);
      await plantPrograms(repository, evil);
      const before = readdirSync(repository.folder);
      const trace = path.join(repository.folder, "trace");
      const environment = scratchEnvironment(path.join(repository.folder, "home"));
      const orders: VcsOrders = { root: repository.root, environment, texts: textsFor(evil) };

      const { status, stdout, stderr } = spawnSync(
        "strace",
        [
          "-f",
          "-qq",
          "-s",
          "4096",
          "-e",
          "trace=execve,execveat",
          "-o",
          trace,
          process.execPath,
          WORKER,
          JSON.stringify(orders),
        ],
        { encoding: "utf8", maxBuffer: 1e8, env: { ...process.env, ...environment } },
      );

      assert.equal(status, 0, stderr);
      const started = [...readFileSync(trace, "utf8").matchAll(STARTED)].map(
        ([, program = "", args = ""]) => ({ program, args }),
      );
      const isOurs = oursOf(kind, repository.remote);
      const strange = started.filter((each) => !isOurs(each));
      assert.deepEqual(strange.slice(0, 5), []);
      assert.ok(started.length > CASES, `${started.length} programs for ${CASES} texts`);
      assert.equal(existsSync(marker), false);
      assert.deepEqual(
        readdirSync(repository.folder).filter((name) => !before.includes(name)),
        ["trace"],
      );
      t.diagnostic(
        `${CASES} texts on ${kind}: ${started.length} programs started, 0 that are not ours; ${stdout.trim()}`,
      );
    });
  }
});

interface Started {
  readonly program: string;
  /** As strace writes them. */
  readonly args: string;
}

const STARTED = /execve(?:at)?\("([^"]+)", \[(.*?)\], 0x.* = 0$/gm;

/**
 * Node, the system's version control with its parts, the shell in which git starts the other end of a remote in a folder,
 * and what jj asks for the width of a terminal.
 */
function oursOf(kind: "git" | "jj", remote: string): (started: Started) => boolean {
  const parts = execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim();
  const systems = ["git", ...(kind === "jj" ? ["jj"] : [])].map(whichOf);
  // A system that is unpacked into a folder of its own starts its programs from there.
  const folders = [parts, ...systems.map((program) => path.dirname(path.dirname(program)))].filter(
    (folder) => folder !== "/usr" && folder !== "/",
  );
  const otherEnds = ["upload", "receive"].map(
    (end) => `"/bin/sh", "-c", "git-${end}-pack '${remote}'", "git-${end}-pack '${remote}'"`,
  );
  return ({ program, args }) =>
    [process.execPath, ...systems].includes(program) ||
    folders.some((folder) => program.startsWith(`${folder}/`)) ||
    (program === "/bin/sh" && otherEnds.includes(args)) ||
    (kind === "jj" && /^"tput", "(?:cols|lines)"$/.test(args));
}

function whichOf(program: string): string {
  return execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();
}

/** Those that would start something, if anybody took them for more than a text, come first. */
function textsFor(evil: string): readonly string[] {
  const texts = [
    `$(${evil})`,
    `\`${evil}\``,
    `; ${evil}`,
    `| ${evil}`,
    `\n${evil}\n`,
    `--exec=${evil}`,
    `-c core.editor=${evil}`,
    `--upload-pack=${evil}`,
    `--receive-pack=${evil}`,
    `--output=${evil}`,
    `ext::${evil}`,
    `!${evil}`,
    `-F${evil}`,
    `--config=core.sshCommand=${evil}`,
    `--repository=${evil}`,
    `-R${evil}`,
    `exec:${evil}`,
    `@{${evil}}`,
    ...generatedTexts().refs,
    ...HOSTILE_TEXTS.paths,
  ];
  return Array.from({ length: CASES }, (_, n) => texts[n % texts.length] ?? "");
}
