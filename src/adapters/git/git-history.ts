/** The history of a git repository. */

import { isBookmarkName } from "../../kernel/vcs/bookmark-name.ts";
import {
  isAncestorOf,
  listTouchedPaths,
  listTreeChanges,
  listTreeFiles,
  readTouchedFiles,
  readTreeFiles,
} from "../../kernel/vcs/git-objects.ts";
import { decode, type GitProgram } from "../../kernel/vcs/git-program.ts";
import type { Commit, CommitRange, History } from "../../kernel/vcs/vcs.ts";
import { KEPT_PREFIX } from "../../kernel/vcs/vcs.ts";
import { ownChangeId } from "./change-id.ts";
import { type GitCommit, logCommits } from "./git-commits.ts";

export function gitHistory(git: GitProgram): History {
  return {
    findAll: (ids) => findCommits(git, ids),
    findBookmark: async (name, remote) => {
      if (!isBookmarkName(name)) return undefined;
      const ref = remote === undefined ? `refs/heads/${name}` : `refs/remotes/${remote}/${name}`;
      const commitId = await findRef(git, ref);
      return commitId === undefined
        ? undefined
        : (await logCommits(git, ["--no-walk", commitId, "--"]))[0];
    },
    list: (range) => listCommits(git, range),
    isAncestor: (ancestor, descendant) => isAncestorOf(git, ancestor, descendant),
    listChanges: (from, to) => listTreeChanges(git, from, to),
    listTouched: (commitIds) => listTouchedPaths(git, commitIds),
    readTouched: (commitIds) => readTouchedFiles(git, commitIds),
    read: (commitId, paths) => readTreeFiles(git, commitId, paths),
    listFiles: (commitId, folders) => listTreeFiles(git, commitId, folders),
  };
}

export async function findRef(git: GitProgram, ref: string): Promise<string | undefined> {
  const { exitCode, output } = await git.attempt([
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${ref}^{commit}`,
  ]);
  return exitCode === 0 ? decode(output).trim() : undefined;
}

export async function listCommits(
  git: GitProgram,
  { after, upTo, title }: CommitRange,
): Promise<readonly GitCommit[]> {
  const upTos = upTo === undefined ? await everyLine(git) : [upTo];
  const commits = await logCommits(git, [
    "--topo-order",
    "--reverse",
    ...(title === undefined ? [] : ["--fixed-strings", `--grep=${title}`]),
    ...(upTo === undefined && after !== undefined ? ["--ancestry-path"] : []),
    ...(after === undefined ? [] : [`^${after}`]),
    ...upTos,
    "--",
  ]);
  return title === undefined ? commits : commits.filter((each) => each.message.startsWith(title));
}

/** Local branches, and what other working copies have checked out; what sessions keep aside is no line of work. */
async function everyLine(git: GitProgram): Promise<readonly string[]> {
  const heads = (await listWorktrees(git)).flatMap(({ head }) => head ?? []);
  return [`--exclude=${KEPT_PREFIX}*`, "--branches", ...heads];
}

export interface Worktree {
  readonly folder: string;
  readonly head: string | undefined;
  /** The full name of the branch that is checked out there. */
  readonly branch: string | undefined;
}

export async function listWorktrees(git: GitProgram): Promise<readonly Worktree[]> {
  const output = decode(await git.run(["worktree", "list", "--porcelain", "-z"]));
  return output
    .split("\0\0")
    .filter((block) => block !== "")
    .map((block) => {
      const facts = new Map(
        block.split("\0").map((line): [string, string] => {
          const [word = "", ...rest] = line.split(" ");
          return [word, rest.join(" ")];
        }),
      );
      const head = facts.get("HEAD");
      return {
        folder: facts.get("worktree") ?? "",
        // An unborn branch has a head of zeros.
        head: head === undefined || /^0+$/.test(head) ? undefined : head,
        branch: facts.get("branch"),
      };
    });
}

async function findCommits(
  git: GitProgram,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Commit>> {
  const changeIds = ids.filter((id) => /^I[0-9a-f]{4,40}$/.test(id));
  const commitIds = ids.filter((id) => /^[0-9a-f]{4,64}$/.test(id));
  const found = new Map(await findByChangeId(git, changeIds));
  const left = changeIds.filter((id) => !found.has(id));
  const own = left.map((id) => id.slice(1));
  const named = new Map(await findByCommitId(git, [...new Set([...own, ...commitIds])]));
  for (const id of own) {
    const commit = named.get(id);
    // Only of commits that name no other one.
    if (commit?.changeId === ownChangeId(commit?.commitId ?? "")) found.set(`I${id}`, commit);
  }
  for (const id of commitIds) {
    const commit = named.get(id);
    if (commit !== undefined) found.set(id, commit);
  }
  return found;
}

/** A command line has an end. */
const AT_ONCE = 500;

async function findByChangeId(
  git: GitProgram,
  ids: readonly string[],
): Promise<readonly (readonly [string, Commit])[]> {
  const found: (readonly [string, Commit])[] = [];
  for (let i = 0; i < ids.length; i += AT_ONCE) {
    const some = ids.slice(i, i + AT_ONCE);
    const commits = await logEverywhere(git, [
      "--extended-regexp",
      ...some.map((id) => `--grep=^Change-Id: ${id}`),
    ]);
    for (const id of some) {
      const commit = await chooseCommit(
        git,
        commits.filter(({ changeId }) => changeId.startsWith(id)),
      );
      if (commit !== undefined) found.push([id, commit]);
    }
  }
  return found;
}

async function logEverywhere(
  git: GitProgram,
  args: readonly string[],
): Promise<readonly GitCommit[]> {
  const log = (heads: readonly string[]) =>
    logCommits(git, [...args, "--branches", "--remotes", ...heads, "--"]);
  try {
    return await log(["HEAD"]);
  } catch (error) {
    // A clone of a remote whose main branch is not there stands nowhere.
    if ((await findRef(git, "HEAD")) !== undefined) throw error;
    return log([]);
  }
}

/** A rewritten commit may live on in another branch: what the working copy stands on counts first, then the newest. */
async function chooseCommit(
  git: GitProgram,
  commits: readonly GitCommit[],
): Promise<Commit | undefined> {
  const [newest, ...older] = commits;
  if (newest === undefined || older.some(({ changeId }) => changeId !== newest.changeId)) {
    return undefined;
  }
  if (older.length === 0) return newest;
  for (const commit of commits) {
    if (await isAncestorOf(git, commit.commitId, "HEAD")) return commit;
  }
  return newest;
}

async function findByCommitId(
  git: GitProgram,
  ids: readonly string[],
): Promise<readonly (readonly [string, Commit])[]> {
  if (ids.length === 0) return [];
  const input = ids.map((id) => `${id}^{commit}\n`).join("");
  const checked = decode(await git.run(["cat-file", "--batch-check"], { input })).split("\n");
  const known = ids.flatMap((id, i): (readonly [string, string])[] => {
    const commitId = /^([0-9a-f]+) commit /.exec(checked[i] ?? "")?.[1];
    return commitId === undefined ? [] : [[id, commitId]];
  });
  if (known.length === 0) return [];
  const commits = await logCommits(
    git,
    ["--no-walk", "--stdin"],
    known.map(([, commitId]) => `${commitId}\n`).join(""),
  );
  const byId = new Map(commits.map((commit) => [commit.commitId, commit]));
  return known.flatMap(([id, commitId]): (readonly [string, Commit])[] => {
    const commit = byId.get(commitId);
    return commit === undefined ? [] : [[id, commit]];
  });
}
