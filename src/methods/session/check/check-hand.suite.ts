/** What people do to a finished session with the system's own commands, and how it is taken back. */

import { rmSync } from "node:fs";
import path from "node:path";
import type { SessionWorld } from "../session-world.suite.ts";

/** What a person can do to a finished session with the system's own commands. */
export interface Hand {
  readonly remember: () => Promise<string>;
  readonly restore: (state: string) => Promise<void>;
  readonly commit: (message: string, file: string) => Promise<void>;
  readonly bookmark: (name: string, to: "base") => Promise<unknown>;
  readonly message: (change: (text: string) => string, changeId?: string) => Promise<unknown>;
  readonly describe: (changeId: string, message: string) => Promise<unknown>;
  readonly dropKept: () => Promise<void>;
  readonly remote: (deed: "delete" | "base", name: (kept: string) => string) => Promise<unknown>;
  readonly rewriteFiles: (paths: readonly string[], text: string | undefined) => Promise<void>;
  readonly rewriteReport: (change: (text: string) => string) => Promise<void>;
  readonly standOn: (place: "base") => Promise<unknown>;
}

export function handOf(
  world: SessionWorld,
  {
    id,
    changeId = "",
    reportPath = "",
  }: { id: string; changeId?: string | undefined; reportPath?: string | undefined },
): Hand {
  const { repository, vcs } = world;
  const kept = `session/${id}`;
  const isJj = repository.kind === "jj";
  const remoteGit = (...args: string[]) => repository.git("--git-dir", repository.remote, ...args);
  const find = async (change: string) => {
    const commit = (await vcs.history.findAll([change])).get(change);
    if (commit === undefined) throw new Error(`no ${change}`);
    return commit;
  };
  const base = async () => (await find(changeId)).parents[0] ?? "";
  /** Rewrites the finished commit, and puts the working copy on top of it again. */
  const rewrite = async (deed: () => void) => {
    if (isJj) {
      await repository.cli("edit", changeId);
      deed();
      await repository.cli("new", changeId);
      return;
    }
    deed();
    await repository.cli("add", "--all");
    await repository.cli("commit", "--quiet", "--amend", "--no-edit", "--cleanup=verbatim");
    await repository.cli("branch", "--force", "dev", "HEAD").catch(() => "on it");
  };
  return {
    remember: async () => {
      const refs = await remoteGit("for-each-ref", "--format=%(objectname) %(refname)");
      const local = isJj
        ? await vcs.workingCopy.operation()
        : await repository.git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads");
      const head = isJj ? "" : (await repository.git("symbolic-ref", "HEAD")).trim();
      return JSON.stringify({ refs, local, head });
    },
    restore: async (state) => {
      const { refs, local, head } = JSON.parse(state) as Record<"refs" | "local" | "head", string>;
      const lines = (text: string) =>
        text
          .trim()
          .split("\n")
          .map((line) => line.split(" "));
      for (const [commit = "", ref = ""] of lines(refs)) await remoteGit("update-ref", ref, commit);
      await repository.git("remote", "set-url", "origin", repository.remote);
      if (isJj) {
        await repository.cli("operation", "restore", local);
        return;
      }
      await repository.git("checkout", "--quiet", "--detach", "--force");
      for (const [commit = "", ref = ""] of lines(local))
        await repository.git("update-ref", ref, commit);
      await repository.git("checkout", "--quiet", "--force", head.replace("refs/heads/", ""));
      await repository.git("clean", "-fdq");
    },
    commit: async (message, file) => {
      repository.write(file, `${file}\n`);
      if (isJj) return void (await repository.cli("commit", `--message=${message}`));
      await repository.cli("add", "--all");
      await repository.cli("commit", "--quiet", `--message=${message}`);
    },
    bookmark: async (name) => {
      const to = await base();
      if (isJj) return repository.cli("bookmark", "set", "--allow-backwards", name, "-r", to);
      const { parent } = await vcs.workingCopy.look();
      await repository.git("checkout", "--quiet", "--detach", parent.commitId);
      return repository.git("branch", "--force", name, to);
    },
    message: async (change, given = changeId) => {
      const commit = await find(given);
      const text = change(commit.message);
      if (isJj) return describeJj(world, given, text);
      return amendGit(world, commit.commitId, `${text}\nChange-Id: ${given}\n`);
    },
    describe: async (change, message) => {
      if (isJj) return describeJj(world, change, message);
      return amendGit(world, (await find(change)).commitId, `${message}\nChange-Id: ${change}\n`);
    },
    dropKept: async () => {
      if (!isJj) {
        await repository.git("branch", "-D", kept);
        await repository.git("update-ref", "-d", `refs/remotes/origin/${kept}`);
        return;
      }
      await repository.cli("bookmark", "forget", "--include-remotes", `exact:"${kept}"`);
      const { intents } = await world.show(id);
      const ids = intents.flatMap(({ changeId: one, duplicateId = "none()" }) => [
        one,
        duplicateId,
      ]);
      await repository.cli("abandon", `(${ids.join(" | ")}):: ~ ::dev`);
    },
    remote: async (deed, name) =>
      deed === "delete"
        ? remoteGit("update-ref", "-d", `refs/heads/${name(kept)}`)
        : remoteGit("update-ref", `refs/heads/${name(kept)}`, await base()),
    rewriteFiles: (paths, text) =>
      rewrite(() => {
        for (const each of paths) {
          if (text === undefined) rmSync(path.join(repository.root, each), { recursive: true });
          else repository.write(each, text);
        }
      }),
    rewriteReport: (change) =>
      rewrite(() => repository.write(reportPath, change(repository.read(reportPath)))),
    standOn: async () => {
      const to = await base();
      return isJj
        ? repository.cli("new", to)
        : repository.git("checkout", "--quiet", "--detach", to);
    },
  };
}

async function describeJj(
  { repository }: SessionWorld,
  changeId: string,
  text: string,
): Promise<void> {
  const { execFileSync } = await import("node:child_process");
  execFileSync("jj", ["describe", "--stdin", changeId], {
    cwd: repository.root,
    input: text,
    env: definedOf(repository.tools.environment),
    stdio: ["pipe", "ignore", "ignore"],
  });
}

/** Rewrites a commit somewhere below, and puts what stood on it on top again. */
async function amendGit(
  { repository }: SessionWorld,
  commitId: string,
  text: string,
): Promise<void> {
  const { execFileSync } = await import("node:child_process");
  const git = (args: readonly string[], input = "") =>
    execFileSync("git", args, {
      cwd: repository.root,
      input,
      env: { ...definedOf(repository.tools.environment), GIT_COMMITTER_DATE: "@1700000000 +0000" },
      stdio: ["pipe", "pipe", "ignore"],
    })
      .toString()
      .trim();
  const parents = git(["log", "-1", "--format=%P", commitId]).split(" ").filter(Boolean);
  const made = git(
    ["commit-tree", `${commitId}^{tree}`, ...parents.flatMap((each) => ["-p", each]), "-F", "-"],
    text,
  );
  const onTop = git(["rev-list", "--reverse", `${commitId}..HEAD`])
    .split("\n")
    .filter(Boolean);
  let head = made;
  for (const each of onTop) {
    const message = git(["log", "-1", "--format=%B", each]);
    head = git(["commit-tree", `${each}^{tree}`, "-p", head, "-F", "-"], `${message}\n`);
  }
  const branch = git(["symbolic-ref", "HEAD"]);
  const dev = git(["rev-parse", "refs/heads/dev"]);
  if (dev === git(["rev-parse", "HEAD"])) git(["update-ref", "refs/heads/dev", head]);
  else if (dev === commitId) git(["update-ref", "refs/heads/dev", made]);
  git(["update-ref", branch, head]);
}

function definedOf(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
