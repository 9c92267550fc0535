/** Applies the change between two trees to a third one, without a working copy. */

import { decode, type GitProgram } from "../../kernel/vcs/git-program.ts";
import { vcsConflict, vcsFailed } from "../../kernel/vcs/vcs-errors.ts";

export interface Replay {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Gives a tree; throws `vcs_conflict`. Most replays need no merge at all: the line has not moved. */
export async function replayTree(
  git: GitProgram,
  { base, ours, theirs }: Replay,
  what: string,
): Promise<string> {
  if (ours === base || ours === theirs) return theirs;
  if (theirs === base) return ours;
  const bottom = await rootOf(git, base, []);
  return mergeCommits(
    git,
    await rootOf(git, ours, [bottom]),
    await rootOf(git, theirs, [bottom]),
    what,
  );
}

export async function mergeCommits(
  git: GitProgram,
  ours: string,
  theirs: string,
  what: string,
): Promise<string> {
  git.refusePrograms("merges");
  const { exitCode, output, errors } = await git.attempt([
    "merge-tree",
    "--write-tree",
    "--name-only",
    "--no-messages",
    "-z",
    ours,
    theirs,
  ]);
  const [tree = "", ...paths] = decode(output)
    .split("\0")
    .filter((part) => part !== "");
  if (exitCode === 1) throw vcsConflict([...new Set(paths)], what);
  if (exitCode !== 0) throw vcsFailed("git merge-tree", errors);
  return tree;
}

const NOBODY = {
  GIT_AUTHOR_NAME: "replay",
  GIT_AUTHOR_EMAIL: "replay@invalid",
  GIT_AUTHOR_DATE: "@0 +0000",
  GIT_COMMITTER_NAME: "replay",
  GIT_COMMITTER_EMAIL: "replay@invalid",
  GIT_COMMITTER_DATE: "@0 +0000",
};

/** git finds a merge's base from commits only, so trees are dressed as commits that nothing ever points to. */
export function rootOf(git: GitProgram, tree: string, parents: readonly string[]): Promise<string> {
  return git.text(["commit-tree", tree, ...parents.flatMap((each) => ["-p", each]), "-F", "-"], {
    input: "replay\n",
    environment: NOBODY,
  });
}
