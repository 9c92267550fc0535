/** Throwaway repositories for tests, with a remote: real jj, real git. Skips loudly where the program is missing. */

import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { openVcs, vcsTools } from "../../src/app/open-vcs.ts";
import type { Hand, Vcs, VcsKind } from "../../src/kernel/vcs/vcs.ts";
import type { VcsTools } from "../../src/kernel/vcs/vcs-tools.ts";

const exec = promisify(execFile);

export interface ScratchRepository {
  readonly kind: VcsKind;
  readonly root: string;
  /** The bare repository behind `origin`. */
  readonly remote: string;
  /** Everything of this repository, also clones, lies below it. */
  readonly folder: string;
  readonly tools: VcsTools;
  readonly open: () => Promise<Vcs>;
  /** Runs the system's own program (jj or git), as a person would. */
  readonly cli: (...args: string[]) => Promise<string>;
  readonly git: (...args: string[]) => Promise<string>;
  readonly write: (file: string, text: string) => void;
  readonly read: (file: string) => string;
  /** Moves the working copy to a new line of work on top of this commit. */
  readonly branchOff: (commitId: string, name: string) => Promise<void>;
  readonly clone: (name: string) => Promise<Vcs>;
  readonly remove: () => void;
}

export function missingProgram(kind: VcsKind): string | undefined {
  try {
    execFileSync(kind, ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return `SKIPPED LOUDLY: ${kind} is not on PATH, so nothing about it was tested here`;
  }
}

/** Any working copy, with tools that may be made to fail. */
export function openRepository(root: string, tools: VcsTools): Promise<Vcs> {
  return openVcs(root, tools);
}

export interface ScratchRepositoryOptions {
  readonly hasRemote?: boolean;
}

/** One commit, `base`, with the file `a`, and a remote that has nothing yet. */
export async function scratchRepository(
  kind: VcsKind,
  { hasRemote = true }: ScratchRepositoryOptions = {},
): Promise<ScratchRepository> {
  const folder = mkdtempSync(path.join(quickFolder(), `throughline-${kind}-`));
  const root = path.join(folder, "work");
  const remote = path.join(folder, "remote.git");
  const home = path.join(folder, "home");
  for (const each of [root, home]) mkdirSync(each);
  const environment = scratchEnvironment(home);
  writeFileSync(
    path.join(home, ".gitconfig"),
    '[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = work\n[protocol "file"]\n\tallow = always\n',
  );
  mkdirSync(path.join(home, ".config", "jj"), { recursive: true });
  writeFileSync(
    path.join(home, ".config", "jj", "config.toml"),
    '[user]\nname = "Ann"\nemail = "ann@example.org"\n[ui]\npaginate = "never"\n',
  );
  const call = async (program: string, args: readonly string[], cwd = root) =>
    (await exec(program, args, { cwd, env: environment, maxBuffer: 1e9 })).stdout;
  const tools = vcsTools(environment);
  await call("git", ["init", "--quiet", "--bare", remote], folder);
  await call(kind, kind === "jj" ? ["git", "init", "."] : ["init", "--quiet"]);
  writeFileSync(path.join(root, "a"), "a\n");
  if (kind === "jj") await call("jj", ["commit", "--message=base"]);
  else {
    await call("git", ["add", "--all"]);
    await call("git", ["commit", "--quiet", "--message=base"]);
  }
  if (hasRemote)
    await call(kind, [...(kind === "jj" ? ["git"] : []), "remote", "add", "origin", remote]);
  return {
    kind,
    root,
    remote,
    folder,
    tools,
    open: () => openVcs(root, tools),
    cli: (...args) => call(kind, args),
    git: (...args) => call("git", args),
    write: (file, text) => {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    },
    read: (file) => readFileSync(path.join(root, file), "utf8"),
    branchOff: async (commitId, name) => {
      if (kind === "jj") await call("jj", ["new", commitId]);
      else await call("git", ["switch", "--quiet", "--create", name, commitId]);
    },
    clone: async (name) => {
      const place = path.join(folder, name);
      const args = kind === "jj" ? ["git", "clone"] : ["clone", "--quiet"];
      await call(kind, [...args, remote, place], folder);
      return openVcs(place, tools);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** In memory where the machine has room there: jj waits for the disk with every operation. */
function quickFolder(): string {
  return existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
}

export function scratchEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LC_ALL: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
  };
}

export function handOf(tag: string, at = Date.UTC(2026, 1, 22, 12)): Hand {
  return { author: { name: "Bo O'Bo", email: "bo@example.org" }, at, tag };
}
